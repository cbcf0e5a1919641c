// Light, dark, or what the system says.
import { useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";

export const THEMES: Record<Theme, { name: string; sign: string; next: Theme }> = {
  system: { name: "Theme of the system", sign: "◐", next: "light" },
  light: { name: "Light theme", sign: "☀", next: "dark" },
  dark: { name: "Dark theme", sign: "☾", next: "system" },
};

// Puts the theme on the page; says whether that is dark now.
export function useShade(theme: Theme): "light" | "dark" {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
  }, [theme]);
  return (theme === "system" ? isDark : theme === "dark") ? "dark" : "light";
}
