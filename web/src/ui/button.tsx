import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

const LOOKS = {
  primary: 'bg-brand text-on-brand hover:bg-brand-hover border-transparent',
  plain: 'bg-panel text-ink hover:bg-hover border-edge',
  quiet: 'text-soft hover:bg-hover hover:text-ink border-transparent',
  danger: 'bg-panel text-bad hover:bg-bad-tint border-edge',
};

type Look = keyof typeof LOOKS;

/** The classes of a button, for a link that looks like one. */
export const buttonClass = (look: Look = 'plain', width = 'px-3') =>
  `inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap ${width} ${LOOKS[look]} disabled:opacity-60 aria-disabled:opacity-60`;

type Props = ComponentProps<'button'> & {
  look?: Look;
  icon?: LucideIcon;
  busy?: boolean;
  /** The class of its width. */
  width?: string;
  children: ReactNode;
};

/** A button. While it is busy it keeps the focus and does nothing. */
export const Button = ({
  look,
  icon: Icon,
  busy = false,
  width,
  children,
  onClick,
  className = '',
  ...rest
}: Props) => (
  <button
    type="button"
    aria-disabled={busy || undefined}
    className={`${buttonClass(look, width)} ${className}`}
    onClick={busy ? (event) => event.preventDefault() : onClick}
    {...rest}
  >
    {Icon && <Icon aria-hidden size={16} />}
    {children}
  </button>
);

/** The primary action of a page. */
export const primaryButton = (icon: LucideIcon, name: string, onClick: () => void) => (
  <Button look="primary" {...{ icon, onClick }} children={name} />
);

type IconProps = Omit<Props, 'busy' | 'children'> & { icon: LucideIcon; label: string };

/** A button that shows only an icon; `label` is its name and its tooltip. */
export const IconButton = ({ label, look = 'quiet', ...rest }: IconProps) => (
  <Button aria-label={label} title={label} look={look} width="w-8" {...rest}>
    {null}
  </Button>
);
