import { Eye, EyeOff } from 'lucide-react';
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  type ReactNode,
  use,
  useId,
  useState,
} from 'react';
import { IconButton } from './button.tsx';

/** A field with a border of any colour. */
export const BARE_INPUT = 'h-8 w-full min-w-0 rounded-md border bg-panel px-2.5';

export const INPUT = `${BARE_INPUT} border-edge placeholder:text-faint aria-invalid:border-bad`;

interface Props {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value; without this, what the form around it says of its name. */
  problem?: string | undefined;
}

/** What is wrong with the fields of the form around them, by their names. */
export const FieldProblems = createContext<Readonly<Record<string, string | undefined>>>({});

/** Makes a field of a control: its label above it, and below it a hint, or what is wrong with its value. */
const labelled = <P extends object>(Control: ComponentType<P>) =>
  function Field({ label, hint, problem: given, ...rest }: Props & P) {
    const id = useId();
    const problems = use(FieldProblems);
    const problem = given ?? ('name' in rest ? problems[String(rest.name)] : undefined);
    return (
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <Control
          {...(rest as unknown as P)}
          id={id}
          aria-describedby={`${id}-about`}
          aria-invalid={problem !== undefined || undefined}
        />
        <p id={`${id}-about`} className="text-sm text-faint empty:hidden">
          {problem === undefined ? hint : <span className="text-bad">{problem}</span>}
        </p>
      </div>
    );
  };

/** A line of text. */
export const TextField = labelled((props: ComponentProps<'input'>) => <input className={INPUT} {...props} />);

/** Several lines of text. */
export const TextArea = labelled((props: ComponentProps<'textarea'>) => (
  <textarea className={`${INPUT} h-auto py-1.5`} {...props} />
));

type SelectProps = ComponentProps<'select'> & { options: readonly { value: string; name: string }[] };

/** One of several values. */
export const SelectField = labelled(({ options, ...rest }: SelectProps) => (
  <select className={INPUT} {...rest}>
    {options.map(({ value, name }) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
));

/** A password, which can be shown. */
export const PasswordField = labelled(function Password(props: ComponentProps<'input'>) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="relative">
      <input className={`${INPUT} pr-9`} type={isShown ? 'text' : 'password'} {...props} />
      <IconButton
        icon={isShown ? EyeOff : Eye}
        label={isShown ? 'Hide the password' : 'Show the password'}
        className="absolute top-0 right-0"
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
});
