import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'theme';
const stored = localStorage.getItem(KEY);
let current: Theme = stored === 'light' || stored === 'dark' ? stored : 'system';

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
