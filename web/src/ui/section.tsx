import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';

type Props = { title: string; actions?: ReactNode; children: ReactNode };

/** A part of a page with a heading. */
export function Section({ title, actions, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8">
      <div className="mb-2 flex min-h-8 items-center gap-2">
        <h2 id={id} className="grow font-semibold">
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

type More = { to: NonNullable<LinkProps['to']>; search?: object; children: string };
/** At a section that shows some of many: the page of all. */
export const MoreLink = ({ to, search, children }: More) => (
  <Link to={to} search={search as never} className="text-sm text-brand hover:underline">
    {children}
  </Link>
);

/** Facts about a record: a word and its value in each row. One whose value is false or null is left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
    {facts
      .filter(([, value]) => value !== null && value !== false)
      .map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">
            <bdi>{name}</bdi>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
