import { Link, type LinkProps } from '@tanstack/react-router';
import type { AriaAttributes, ReactNode } from 'react';

/** A link to the same page with other filters, in the place of the present address. */
export const HereLink = ({
  to,
  replace = true,
  ...rest
}: AriaAttributes & {
  className: string;
  title?: string;
  onClick?: () => void;
  children: ReactNode;
  /** The filters that are different there. */
  to: Readonly<Record<string, string | undefined>>;
  /** False: Back leads here again. */
  replace?: boolean;
  /** True: the entry of the history keeps its state. */
  state?: true;
}) => (
  <Link
    to="."
    search={((now: object) => ({ ...now, ...to })) as never}
    replace={replace}
    resetScroll={!replace}
    // A filter that is not set there must not be set here: only then is this the present address.
    activeOptions={{ explicitUndefined: true }}
    {...rest}
  />
);

/** A link in a text to a page. */
export const TextLink = ({ to, children }: Required<Pick<LinkProps, 'to'>> & { children: ReactNode }) => (
  <Link to={to} className="text-brand underline" children={children} />
);

/** The same to a source. */
export const SourceLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <Link to="/sources/$id" params={{ id }} className="text-brand underline" children={children} />
);
