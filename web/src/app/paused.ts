import { useEffect, useState } from 'react';

/** What was typed, when no key was pressed for so long; '' before the second letter, and while more is typed. */
export function usePaused(text: string, ms: number): string {
  const [paused, setPaused] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return paused === text && text.length >= 2 ? text : '';
}
