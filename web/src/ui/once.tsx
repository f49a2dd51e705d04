import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Confirm } from './form-dialog.tsx';

interface Props {
  title: string;
  /** What is lost, such as "the token". */
  what: string;
  isCopied: boolean;
  onClose: () => void;
  /** Buttons beside the one that closes it. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A dialog with what the service shows only once. It asks before it is closed or left while nothing was copied. */
export function OnceDialog({ title, what, isCopied, onClose, actions, children }: Props) {
  const [asks, setAsks] = useState(false);
  const mayLeave = useRef(false);
  const question = `You have not copied ${what}: this is shown only now.`;
  useBlocker({
    // The browser asks: what leads away is not in this page.
    shouldBlockFn: () => !mayLeave.current && !globalThis.confirm(`${question} Leave all the same?`),
    enableBeforeUnload: !isCopied,
    disabled: isCopied,
  });
  function close() {
    mayLeave.current = true;
    onClose();
  }
  const leave = () => (isCopied ? close() : setAsks(true));
  return (
    <Dialog onClose={leave} title={title}>
      {children}
      <div className="mt-4 flex justify-end gap-2">
        {actions}
        <Button onClick={leave}>Done</Button>
      </div>
      {asks && (
        <Confirm
          onClose={() => setAsks(false)}
          title="Close without a copy?"
          action="Close"
          onConfirm={close}
        >
          {question}
        </Confirm>
      )}
    </Dialog>
  );
}
