import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { wrongField } from '../app/form.ts';
import { Refusal } from '../app/request.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FieldProblems, TextField } from './field.tsx';
import { Failure } from './states.tsx';
import { tell } from './toast.tsx';

interface Props {
  /** The name of the button that sends it. */
  action: string;
  isDangerous?: boolean;
  /** Sends the form; whoever shows the dialog closes it afterwards. */
  send: (fields: FormData) => Promise<unknown>;
  /** Its fields, which show what is wrong with them by their names. */
  children: ReactNode;
}

interface DialogProps extends Props {
  title: string;
  onClose: () => void;
}

/** A form. While it is sent it does nothing; a refusal is shown at its field, else below, and what was typed stays. */
export function Form({
  action,
  isDangerous = false,
  send,
  title,
  onClose,
  children,
}: Props & Partial<DialogProps>) {
  // Nothing of what was typed, such as a password, stays in the memory.
  const { mutate, error, isPending: busy } = useMutation({ mutationFn: send, gcTime: 0 });
  const [isAtField, setAtField] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const problems =
    error instanceof Refusal
      ? Object.fromEntries(Object.entries(error.fields).map(([path, text]) => [path.slice(1), text]))
      : {};
  useLayoutEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    setAtField(Boolean(wrong));
    wrong?.focus();
  }, [error]);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // The second click of two comes before the form is shown as busy.
    if (isSending.current) return;
    isSending.current = true;
    const onSettled = () => void (isSending.current = false);
    mutate(new FormData(event.currentTarget), { onSettled });
  }
  const fields = (
    <form ref={form} noValidate={title === undefined} className="flex flex-col gap-4" onSubmit={submit}>
      <FieldProblems value={problems}>{children}</FieldProblems>
      {error !== null && !isAtField && (
        <Failure error={new Error(Object.values(problems)[0] ?? error.message)} />
      )}
      <div className="flex justify-end gap-2">
        {onClose && (
          <Button onClick={onClose} busy={busy}>
            Cancel
          </Button>
        )}
        <Button
          type="submit"
          look={isDangerous ? 'danger' : 'primary'}
          busy={busy}
          className={onClose ? '' : 'h-9 grow'}
        >
          {action}
        </Button>
      </div>
    </form>
  );
  if (title === undefined) return fields;
  // `busy` is shown a moment after the click, and Escape can come before.
  return (
    <Dialog onClose={() => isSending.current || onClose?.()} title={title}>
      {fields}
    </Dialog>
  );
}

/** A form in a dialog, which stays open while it is sent. */
export const FormDialog: (props: DialogProps) => ReactNode = Form;

/** A text of a form, without blanks around it. */
export function textIn(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

interface ConfirmProps extends Omit<DialogProps, 'isDangerous' | 'send'> {
  onConfirm: () => unknown;
}

/** Asks once before what cannot be taken back. The text names what is removed. */
export const Confirm = ({ onConfirm, children, ...dialog }: ConfirmProps) => (
  <FormDialog {...dialog} isDangerous send={async () => onConfirm()}>
    <div className="text-soft">{children}</div>
  </FormDialog>
);

interface ActProps extends Omit<ConfirmProps, 'onConfirm'> {
  act: () => Promise<unknown>;
  /** What is said when it is done. */
  done: string;
}

/** Asks once, then does it and says so. */
export function ConfirmAct({ act, done, ...dialog }: ActProps) {
  const confirm = () => tell(act(), done).finally(dialog.onClose);
  return <Confirm {...dialog} onConfirm={confirm} />;
}

interface TypedProps extends Omit<ConfirmProps, 'onConfirm'> {
  /** What has to be typed; case does not matter. */
  typed: string;
  label: string;
  send: () => Promise<unknown>;
}

/** Asks before what nobody can undo: a name has to be typed. */
export const TypedConfirm = ({ typed, label, send, children, ...rest }: TypedProps) => (
  <FormDialog
    {...rest}
    isDangerous
    send={async (fields) => {
      if (textIn(fields, 'typed').toLowerCase() !== typed.trim().toLowerCase())
        throw wrongField('typed', 'This is not the same. Type it as it is shown above.');
      await send();
    }}
  >
    <div className="text-soft">{children}</div>
    <TextField label={label} name="typed" required autoComplete="off" />
  </FormDialog>
);
