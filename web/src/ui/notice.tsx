import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

/** What somebody has to know before anything else on the page, and what can be done. */
export const Notice = ({
  isBad = false,
  actions,
  children,
}: {
  isBad?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}) => (
  <div
    className={`mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-3 py-2 ${isBad ? 'bg-bad-tint' : 'bg-warn-tint'}`}
  >
    <TriangleAlert aria-hidden size={16} className={`shrink-0 ${isBad ? 'text-bad' : 'text-warn'}`} />
    <p role="status" className="min-w-0 grow basis-56">
      {children}
    </p>
    <div className="flex gap-2 empty:hidden">{actions}</div>
  </div>
);
