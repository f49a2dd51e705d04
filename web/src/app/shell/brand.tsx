import { type ReactNode, useEffect } from 'react';
import mark from '../../ui/mark.svg?inline';

interface Props {
  title?: string | undefined;
  /** The title of the tab. */
  tab?: string | undefined;
  children: ReactNode;
}

/** One column with the product's mark: what is shown while nobody is signed in. */
export function Brand({ title, tab = title, children }: Props) {
  useEffect(() => {
    document.title = tab ?? '';
  }, [tab]);
  return (
    <main className="mx-auto flex min-h-screen w-[min(22rem,100vw)] flex-col justify-center gap-6 px-4 py-12">
      <div className="flex items-center gap-3">
        <img src={mark} alt="" width={36} height={36} />
        <span className="text-lg font-semibold">Team memory</span>
      </div>
      {title !== undefined && <h1 className="text-xl font-semibold">{title}</h1>}
      {children}
    </main>
  );
}
