import { useId } from 'react';

interface Props<T> {
  label: string;
  isLabelShown?: boolean;
  value: T;
  options: readonly { value: T; name: string }[];
  onChange: (value: T) => void;
}

/** One of a few values, side by side: one press chooses. */
export function Segments<T extends string>({ label, isLabelShown, value, options, onChange }: Props<T>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className="max-w-full shrink-0">
      {isLabelShown && (
        <p aria-hidden className="mb-1 font-medium">
          {label}
        </p>
      )}
      <div className="flex w-fit max-w-full overflow-x-auto rounded-md border border-line bg-side p-0.5 text-sm">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative rounded px-2 py-1 whitespace-nowrap text-soft has-checked:bg-panel has-checked:font-medium has-checked:text-brand has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-brand forced-colors:has-checked:underline"
          >
            <input
              type="radio"
              name={name}
              className="absolute inset-0 cursor-pointer opacity-0"
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.name}
          </label>
        ))}
      </div>
    </div>
  );
}
