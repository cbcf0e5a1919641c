// Keys of the page, which single letters are only where a person wants that.
import { useLayoutEffect } from "preact/hooks";

interface Given {
  letters: Record<string, () => void>;
  isOn: boolean;
  isReading: boolean;
  onBack: () => void;
  onEnter: () => void;
}

export function useKeys({ letters, isOn, isReading, onBack, onEnter }: Given): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isTyping = target.matches("input:not([type=checkbox]), textarea, select");
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape" && (isReading || isTyping)) return onBack();
      if (isTyping) {
        if (event.key === "Enter" || event.key === "ArrowDown") onBack();
        return;
      }
      const act = isOn && Object.hasOwn(letters, event.key) ? letters[event.key] : undefined;
      if (act) {
        event.preventDefault();
        act();
      } else if (event.key === "Enter" && target === document.body) onEnter();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}
