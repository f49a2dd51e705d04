import { getRouteApi, Link } from '@tanstack/react-router';
import { ListChecks, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { useRead } from '../../app/data.ts';
import { Refusal } from '../../app/request.ts';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { NoRecord } from '../../ui/no-record.tsx';
import { Page } from '../../ui/page.tsx';
import { Section } from '../../ui/section.tsx';
import { Name } from '../../ui/text.tsx';
import { Actions } from './actions.tsx';
import { useDecideAndSay, type Wanted } from './decisions.ts';
import { Details, StateNotice } from './details.tsx';
import { useDrafts } from './drafts.ts';
import { EditForm } from './edit.tsx';
import { GiveFeedback, Questions } from './feedback.tsx';
import { Versions } from './history.tsx';
import { LINK } from './labels.tsx';

const api = getRouteApi('/memories/$id');

/** The page at /memories/{id}. */
export default function MemoryPage() {
  const { id } = api.useParams();
  const { data, error, refetch } = useRead('getMemory', [id]);
  // What was read stays while the service cannot be reached.
  if (data && !(error instanceof Refusal)) return <OneMemory key={id} memory={data} />;
  return (
    <NoRecord name="memory" error={error} retry={() => void refetch()}>
      <Link to="/memories" className={LINK}>
        Show all memories
      </Link>
    </NoRecord>
  );
}

/** A memory: its text, where it comes from, what became of it, and what the person can do with it. */
function OneMemory({ memory }: { memory: Memory }) {
  const { id, state, version } = memory;
  const { isFull } = useRights();
  const isActive = useTeam().state === 'active';
  const { drafts, put } = useDrafts();
  const draft = drafts[id];
  const unsent = [draft?.title, draft?.content].filter(Boolean).join('\n\n');
  const [isOpen, setOpen] = useState(draft !== undefined);
  const decideAll = useDecideAndSay();
  const decide = (fields: Omit<Wanted, 'memory'>, done?: string) => decideAll([{ memory, ...fields }], done);
  const canChange = isFull && isActive;
  const isPublished = state === 'published';
  const canEdit = canChange && isPublished;
  const isEditing = isOpen && canEdit;
  async function save() {
    // The newest text is on the page, so that the own one can take its place.
    const made = draft ? await decide({ action: 'update', ...draft, version }) : null;
    if (made?.length === 0) return;
    put(id, undefined);
    setOpen(false);
  }
  return (
    <Page
      title={<Name>{memory.title}</Name>}
      shows={memory.title}
      actions={
        canChange && (
          <>
            {canEdit && !isEditing && (
              <Button icon={Pencil} onClick={() => setOpen(true)}>
                Edit
              </Button>
            )}
            {state === 'review' && (
              <Link to="/review" search={{ item: id } as never} className={buttonClass('primary')}>
                <ListChecks aria-hidden size={16} />
                Review
              </Link>
            )}
            <Actions memory={memory} />
          </>
        )
      }
    >
      <div className="grid gap-x-10 lg:grid-cols-[minmax(0,1fr)_19rem] lg:grid-rows-[auto_1fr]">
        <div className="mb-8 max-w-[80ch] min-w-0">
          <StateNotice memory={memory} canChange={canChange} />
          {isEditing && (
            <EditForm memory={memory} action="Save" onSave={save} onClose={() => setOpen(false)} />
          )}
          {/* If someone else changed it meanwhile, the newer text is below the own one. */}
          {(!isEditing || (draft && draft.version < version)) && (
            <section aria-label="The memory as it is now" className="mb-4">
              <Markdown text={memory.content} />
            </section>
          )}
          {draft && !isEditing && (
            <Section
              title="Your text, which was not stored"
              actions={
                <>
                  <CopyButton text={unsent} label="Copy" />
                  <Button onClick={() => put(id, undefined)}>Forget it</Button>
                </>
              }
            >
              <p className="whitespace-pre-wrap" dir="auto">
                {unsent}
              </p>
            </Section>
          )}
        </div>
        <aside className="min-w-0 lg:row-span-2" aria-label="About this memory">
          <Details
            memory={memory}
            tag={canEdit ? (tags, done) => void decide({ action: 'update', tags }, done) : undefined}
          />
          {isFull && isPublished && (
            <Questions memory={memory} keep={canChange ? () => void decide({ action: 'keep' }) : undefined} />
          )}
          {isPublished && isActive && <GiveFeedback memory={memory} />}
        </aside>
        <div className="max-w-[80ch] min-w-0">
          <Versions
            memory={memory}
            restore={
              canChange && (isPublished || state === 'archived')
                ? (version) =>
                    void decide({ action: 'restore', version }, `version ${version} is published again`)
                : undefined
            }
          />
        </div>
      </div>
    </Page>
  );
}
