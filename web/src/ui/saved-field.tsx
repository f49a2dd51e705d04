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
  /** What was typed and is not saved. */
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  async function submit({ value: shown, validity }: HTMLInputElement) {
    // The value of what is no number is empty, which would be saved.
    if (validity.badInput) return setProblem('Enter a number.');
    const next = shown.trim();
    if (next === '' && !isOptional) return setProblem('Enter a value.');
    try {
      if (next !== value) {
        await save(next);
        say(`${label}: saved.`, () => void save(value).catch(sayFailure));
      }
      // What is being typed again stays.
      setTyped((now) => (now === shown ? undefined : now));
      setProblem(undefined);
    } catch (error) {
      const [field] = error instanceof Refusal ? Object.values(error.fields) : [];
      setProblem(field ?? (error as Error).message);
    }
  }
  function key(event: KeyboardEvent<HTMLInputElement>) {
    // Leaving the field saves, once.
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key !== 'Escape' || typed === undefined) return;
    event.stopPropagation();
    setTyped(undefined);
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
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={({ target }) => void submit(target)}
      onKeyDown={key}
    />
  );
}
