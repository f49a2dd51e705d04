import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { Button, IconButton } from './button.tsx';

const manager = Toast.createToastManager();

/**
 * Says at the edge of the window what was done, with a button that takes it back.
 * @param place what is said later for the same place takes the place of this
 */
export function say(text: string, undo?: () => void, place?: string): void {
  if (place !== undefined) manager.close(place);
  const onClick = () => {
    manager.close(id);
    undo?.();
  };
  const id = manager.add({
    ...(place !== undefined && { id: place }),
    ...(undo && { actionProps: { children: 'Undo', onClick } }),
    description: text,
    timeout: undo === undefined ? 5000 : 10_000,
  });
}

/** Says why something was not done; it stays until it is closed. */
export function sayFailure(error: Error): void {
  manager.add({ description: error.message, type: 'failure', priority: 'high', timeout: 0 });
}

/** Says what was done, or why not. */
export async function tell(sent: Promise<unknown>, done: string, undo?: () => void): Promise<boolean> {
  try {
    await sent;
    say(done, undo);
    return true;
  } catch (error) {
    sayFailure(error as Error);
    return false;
  }
}

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`flex items-center gap-2 rounded-lg border border-line bg-panel p-2 pl-4 shadow-pop ${toast.type === 'failure' ? 'text-bad' : ''}`}
    >
      <Toast.Description className="grow" />
      {toast.actionProps && <Toast.Action render={<Button look="quiet">Undo</Button>} />}
      <Toast.Close render={<IconButton icon={X} label="Close" />} />
    </Toast.Root>
  ));
}

/** Where what `say` says is shown. */
export const ToastArea = () => (
  <Toast.Provider toastManager={manager} limit={4}>
    <Toast.Portal>
      <Toast.Viewport className="fixed right-4 bottom-4 z-60 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2 max-md:bottom-20">
        <Toasts />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);
