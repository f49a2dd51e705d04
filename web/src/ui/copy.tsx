import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { IconButton, primaryButton } from './button.tsx';
import { sayFailure } from './toast.tsx';

interface Props {
  text: string;
  label: string;
  icon?: LucideIcon;
  /** Its name is on it. */
  isNamed?: boolean;
  onCopied?: (() => void) | undefined;
}

/** A button that copies a text, and shows for a moment that it did. */
export function CopyButton({ text, label, onCopied, icon = Copy, isNamed = false }: Props) {
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
  const shown = isCopied ? Check : icon;
  const press = () => void copy();
  return isNamed ? (
    primaryButton(shown, name, press)
  ) : (
    <IconButton label={name} icon={shown} onClick={press} />
  );
}

/** Lines for a terminal or another program, with a button that copies them. */
export const CommandLine = ({
  label,
  line,
  onCopied,
}: Omit<Props, 'text' | 'icon' | 'isNamed'> & { line: string }) => (
  <div className="flex items-start gap-1 rounded-md border border-line bg-side p-1 pl-3" onCopy={onCopied}>
    <code className="min-w-0 grow py-1.5 font-mono text-sm whitespace-pre-wrap">{line}</code>
    <CopyButton text={line} label={`Copy: ${label}`} onCopied={onCopied} />
  </div>
);
