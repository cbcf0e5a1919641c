// What this browser remembers of how a person likes the page.
import { useCallback, useState } from "preact/hooks";

function remembered<T>(name: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`jaxfix-${name}`) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function useRemembered<T>(name: string, otherwise: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => remembered(name, otherwise));
  const keep = useCallback((next: T) => {
    setValue(next);
    try {
      localStorage.setItem(`jaxfix-${name}`, JSON.stringify(next));
    } catch {
      // a report opened from a file may have no storage
    }
  }, []);
  return [value, keep];
}
