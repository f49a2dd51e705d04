import { Dialog } from '../../ui/dialog.tsx';
import { canOpen, PAGES, type PageInfo } from '../pages.tsx';
import { useSessionContext } from '../session.tsx';

type Keys = readonly (readonly [keys: string, does: string])[];

const CONTROL = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl';

const EVERYWHERE: Keys = [
  [`${CONTROL} K`, 'Commands'],
  ['/', 'Commands'],
  ['?', 'This list'],
  ['Esc', 'Close what opened last'],
];

const KEY =
  'min-w-6 rounded border border-edge px-1.5 text-center font-mono text-xs leading-5 whitespace-nowrap';

/** The keys of the console: of this page, of all pages, and those that go to a page. */
export default function KeyList({ page, onClose }: { page: PageInfo | null; onClose: () => void }) {
  const { session, team } = useSessionContext();
  const pages = PAGES.filter((one) => canOpen(one, session, team));
  const groups: readonly (readonly [title: string, keys: Keys])[] = [
    [page?.name ?? '', page?.keys ?? []],
    ['Everywhere', EVERYWHERE],
    ['Go to', pages.map(({ key, name }) => [`g ${key}`, name])],
  ];
  return (
    <Dialog onClose={onClose} title="Keys">
      {groups
        .filter(([, keys]) => keys.length > 0)
        .map(([title, keys]) => (
          <section key={title} className="mb-4">
            <h3 className="mb-1 text-sm font-medium text-faint">{title}</h3>
            <dl className="grid gap-x-8 sm:grid-cols-2">
              {keys.map(([key, does]) => (
                <div key={key} className="flex h-8 items-center gap-3 border-b border-line">
                  <dt className="order-2 flex gap-1">
                    {key.split(' ').map((one) => (
                      <kbd key={one} className={KEY}>
                        {one}
                      </kbd>
                    ))}
                  </dt>
                  <dd className="grow truncate">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </Dialog>
  );
}
