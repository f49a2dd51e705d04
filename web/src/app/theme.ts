import { useState } from 'react';

export const THEMES = [
  { value: 'system', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
] as const;
type Theme = (typeof THEMES)[number]['value'];

const KEY = 'theme';
let current: Theme = THEMES.find(({ value }) => value === localStorage.getItem(KEY))?.value ?? 'system';

function apply(theme: Theme): void {
  current = theme;
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}
apply(current);

/** The theme of this browser, and a function that changes it. */
export function useTheme() {
  const [theme, setTheme] = useState(current);
  const change = (value: Theme) => {
    localStorage.setItem(KEY, value);
    apply(value);
    setTheme(value);
  };
  return [theme, change] as const;
}
