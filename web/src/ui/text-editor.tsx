import { type UseQueryResult, useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { askBeforeLeaving } from '../app/leaving.ts';
import { Button } from './button.tsx';
import { Changes } from './changes.tsx';
import { INPUT } from './field.tsx';
import { Confirm } from './form-dialog.tsx';
import { Notice } from './notice.tsx';
import { Page } from './page.tsx';
import { Failure, Skeleton, Unread } from './states.tsx';

/** A text that an edit is based on, and what the service calls its version. */
export interface Base<Version> {
  text: string;
  version: Version;
}

/** What is edited: the first answer of a query. What is read later does not change it. */
export function WithFirst<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (first: T) => ReactNode;
}) {
  const [first, setFirst] = useState<T>();
  if (first !== undefined) return children(first);
  if (query.data !== undefined && !query.isFetching) setFirst(query.data);
  return (
    <Page title="Edit">
      <Unread query={query}>
        <Skeleton />
      </Unread>
    </Page>
  );
}

/** Asks before a changed text is left: by a link, by closing the tab, or by signing out. */
function useLeaveQuestion(isChanged: boolean, isSaved: () => boolean) {
  const owner = useRef({});
  useEffect(() => {
    askBeforeLeaving(owner.current, isChanged);
    return () => askBeforeLeaving(owner.current, false);
  }, [isChanged]);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged && !isSaved(),
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    status === 'blocked' && (
      <Confirm
        onClose={() => reset?.()}
        title="Leave without saving?"
        action="Leave"
        onConfirm={() => proceed?.()}
      >
        What you have written here is lost.
      </Confirm>
    )
  );
}

const BOX = 'h-[calc(100vh-15rem)] min-h-80 w-full overflow-y-auto rounded-md border p-3 leading-6';

/** A page that edits a text. If someone else has stored a newer one, what is written stays, with the newer one beside it. */
export function TextEditor<Version, Saved>({
  title,
  shows,
  base: given,
  isChanged: isOtherChanged = false,
  preview,
  save,
  newerThan,
  onClose,
  children,
}: {
  title: ReactNode;
  shows: string;
  /** Null: only the fields are edited. */
  base: Base<Version> | null;
  /** Whether one of the fields is changed. */
  isChanged?: boolean;
  /** The text as it reads; absent: letters of one width. */
  preview?: (text: string) => ReactNode;
  /** @param version of the text that this one replaces; undefined: the text is not changed */
  save: (text: string, version: Version | undefined) => Promise<Saved>;
  /** Reads the newer text because of which a save was refused; null: it was refused for another reason. */
  newerThan: (refusal: unknown) => Promise<(Base<Version> & { about: string }) | null>;
  /** @param saved undefined: nothing was saved */
  onClose: (saved?: Saved) => void;
  /** Fields above the text, and why they were refused. */
  children?: (error: Error | null, text: string) => ReactNode;
}) {
  const [base, setBase] = useState(given);
  const [text, setText] = useState(base?.text ?? '');
  const [newer, setNewer] = useState<Awaited<ReturnType<typeof newerThan>>>(null);
  const [isPreview, setPreview] = useState(false);
  const isSaved = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  const shown = useDeferredValue(text);
  const reading = useMemo(() => preview?.(shown), [shown]);
  const replaced = newer ?? base;
  const isTextChanged = replaced !== null && text !== replaced.text;
  const isChanged = isTextChanged || isOtherChanged;
  const question = useLeaveQuestion(isChanged, () => isSaved.current);

  async function send() {
    try {
      const saved = await save(text, isTextChanged ? replaced.version : undefined);
      isSaved.current = true;
      onClose(saved);
    } catch (refusal) {
      const found = await newerThan(refusal).catch(() => null);
      if (found === null) throw refusal;
      setNewer(found);
    }
  }
  const { mutate, error, isPending: busy } = useMutation({ mutationFn: send });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    if (isChanged) mutate();
    else onClose();
  }
  function press(event: KeyboardEvent) {
    const { key, target, defaultPrevented } = event;
    const saves = (event.ctrlKey || event.metaKey) && (key === 's' || key === 'Enter');
    const field = form.current?.querySelector('textarea');
    const leadsToText = key === 'Enter' && target instanceof HTMLInputElement && field;
    if (defaultPrevented || event.nativeEvent.isComposing || !(saves || leadsToText)) return;
    event.preventDefault();
    if (saves) form.current?.requestSubmit();
    else field?.focus();
  }
  const isBeside = preview !== undefined || newer !== null;
  return (
    <>
      <form ref={form} onSubmit={submit} onKeyDown={press}>
        <Page
          title={title}
          shows={shows}
          actions={
            <>
              <Button onClick={() => onClose()}>Cancel</Button>
              <Button look="primary" type="submit" busy={busy} title="Ctrl+Enter or Ctrl+S">
                Save
              </Button>
            </>
          }
        >
          {children?.(error, text) ?? (error && <Failure error={error} />)}
          {newer !== null && (
            <Notice
              actions={
                <Button
                  onClick={() => {
                    setBase(newer);
                    setText(newer.text);
                    setNewer(null);
                  }}
                >
                  Use the newer text
                </Button>
              }
            >
              {newer.about}, while you were writing. Take over from it what you need, then save: your text
              becomes the next version.
            </Notice>
          )}
          {base === null ? (
            <p className="text-sm text-faint">This text cannot be edited here.</p>
          ) : (
            <div className={isBeside ? 'grid gap-3 lg:grid-cols-2' : ''}>
              {preview && (
                <Button className="justify-self-start lg:hidden" onClick={() => setPreview(!isPreview)}>
                  {isPreview ? 'Write' : 'Preview'}
                </Button>
              )}
              <textarea
                aria-label={preview === undefined ? 'Text' : 'Text, in Markdown'}
                dir="auto"
                className={`${INPUT} ${BOX} resize-none ${preview === undefined ? 'font-mono text-sm' : ''} ${isPreview ? 'max-lg:hidden' : ''}`}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              {isBeside && (
                <section
                  aria-label={newer === null ? 'Preview' : 'What the newer text changed'}
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
                  tabIndex={0}
                  className={`${BOX} border-line ${isPreview || newer !== null ? '' : 'max-lg:hidden'}`}
                >
                  {newer === null ? reading : <Changes before={base.text} after={newer.text} isShort />}
                </section>
              )}
            </div>
          )}
        </Page>
      </form>
      {question}
    </>
  );
}
