import { type KeyboardEvent, useState } from 'react';
import { Refusal } from '../app/request.ts';
import { TextField } from './field.tsx';
import { say, sayFailure } from './toast.tsx';

interface Props {
  label: string;
  hint?: string;
  value: string;
  type?: 'text' | 'number';
  isOptional?: boolean;
  save: (value: string) => Promise<unknown>;
}

/**
 * A line of text that is saved by Enter, or when the field is left, with an Undo. Escape takes back what was typed; what is
 * refused stays, with the reason.
 */
export function SavedField({ label, hint, value, type = 'text', isOptional = false, save }: Props) {
  const [typed, setTyped] = useState(value);
  const [saved, setSaved] = useState(value);
  const [problem, setProblem] = useState<string>();
  if (saved !== value) {
    setSaved(value);
    // What is being typed stays.
    if (typed === saved) setTyped(value);
  }
  async function submit(isUnreadable: boolean) {
    // The value of what is no number is empty, which would be saved.
    if (isUnreadable) return setProblem('Enter a number.');
    const next = typed.trim();
    setProblem(next === '' && !isOptional ? 'Enter a value.' : undefined);
    if (next === value || (next === '' && !isOptional)) return;
    try {
      await save(next);
      say(`${label}: saved.`, () => void save(value).catch(sayFailure));
    } catch (error) {
      const [field] = error instanceof Refusal ? Object.values(error.fields) : [];
      setProblem(field ?? (error as Error).message);
    }
  }
  function key(event: KeyboardEvent<HTMLInputElement>) {
    // Leaving the field saves, once.
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key !== 'Escape' || typed === value) return;
    event.stopPropagation();
    setTyped(value);
    setProblem(undefined);
  }
  return (
    <TextField
      label={label}
      hint={hint}
      problem={problem}
      type={type}
      {...(type === 'number' ? { min: 0, step: 'any' } : { maxLength: 300 })}
      autoComplete="off"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={({ target }) => void submit(target.validity.badInput)}
      onKeyDown={key}
    />
  );
}
