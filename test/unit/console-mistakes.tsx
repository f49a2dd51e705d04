import { Link } from '@tanstack/react-router';
import { useList, useRead } from '../../web/src/app/data.ts';
import { useFilters } from '../../web/src/app/filters.ts';
import { Button } from '../../web/src/ui/button.tsx';

/* Mistakes that must not compile: `npm run check:types` fails if one of them does. */

export function Mistakes() {
  const status = useRead('getStatus', []).data;
  const sources = useList('listSources', {});
  const [filters, setFilters] = useFilters('/sources');
  // @ts-expect-error A field that the answer does not have.
  const field = status?.source.active;
  // @ts-expect-error A field that a record of a list does not have.
  const name = sources.items.map(({ name: title }) => title);
  // @ts-expect-error An operation that the service does not have.
  useRead('getStatuses', []);
  // @ts-expect-error A parameter that a list does not have.
  useList('listSources', { tags: 'harbour' });
  // @ts-expect-error A filter that the page does not have.
  void setFilters({ colour: filters.tag });
  return (
    <>
      {/* @ts-expect-error A property that a component does not have. */}
      <Button colour="red">{field}</Button>
      {/* @ts-expect-error An address that the console does not have. */}
      <Link to="/source">{name}</Link>
      {/* @ts-expect-error An address of a record without the record. */}
      <Link to="/sources/$id">{name}</Link>
    </>
  );
}
