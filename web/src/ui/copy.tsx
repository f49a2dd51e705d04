import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { sayFailure } from './toast.tsx';

interface Props {
  text: string;
  label: string;
  icon?: LucideIcon;
  onCopied?: (() => void) | undefined;
}

/** What a button needs to copy a text, and to show for a moment that it did. */
function useCopy({ text, label, onCopied, icon = Copy }: Props) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      onCopied?.();
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      sayFailure(
        new Error('The browser did not allow copying. Select the text, and copy it with the keyboard.'),
      );
    }
  }
  const name = isCopied ? 'Copied' : label;
  return { label: name, children: name, icon: isCopied ? Check : icon, onClick: () => void copy() };
}

/** A button that copies a text. */
export function CopyButton(props: Props) {
  const { children: _, ...button } = useCopy(props);
  return <IconButton {...button} />;
}

/** The same with its name on it. */
export function CopyTextButton(props: Props) {
  const { label: _, ...button } = useCopy(props);
  return <Button look="primary" {...button} />;
}

/** Lines for a terminal or another program, with a button that copies them. */
export const CommandLine = ({ label, line, onCopied }: Omit<Props, 'text' | 'icon'> & { line: string }) => (
  <div className="flex items-start gap-1 rounded-md border border-line bg-side p-1 pl-3" onCopy={onCopied}>
    <code className="min-w-0 grow py-1.5 font-mono text-sm whitespace-pre-wrap">{line}</code>
    <CopyButton text={line} label={`Copy: ${label}`} onCopied={onCopied} />
  </div>
);
