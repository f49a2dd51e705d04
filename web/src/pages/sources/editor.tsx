import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange, useRead } from '../../app/data.ts';
import { Refusal, send } from '../../app/request.ts';
import { layerOptions, useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { SourceLink } from '../../ui/here-link.tsx';
import { Failure } from '../../ui/states.tsx';
import { TextEditor, WithFirst } from '../../ui/text-editor.tsx';
import { say } from '../../ui/toast.tsx';
import { AFFECTED, OTHER_SOURCE } from './actions.tsx';
import { similarKey } from './details.tsx';
import type { SourceText } from './labels.ts';
import { Reading } from './reader.tsx';
import { TagsField } from './tags.tsx';

/** Edits a source; without one, writes a new note. */
export default function Editor({ id, clientId }: { id?: string; clientId?: string | undefined }): ReactNode {
  const query = useRead('getSource', [id ?? '', { text: true, limit: 1 }], { enabled: id !== undefined });
  if (id === undefined) return <Form source={null} clientId={clientId} />;
  return <WithFirst query={query}>{(source) => <Form source={source} />}</WithFirst>;
}

/** What is said of a stored text that seems to contain a credential. */
const warning = (redactions: readonly unknown[] = []) =>
  redactions.length === 0
    ? ''
    : ' It looks like it contains a password or a key, which everyone who can read the source can read.';

/** The first line of a text, for a note that has no title. */
const firstLine = (text: string) => (/[^\s#>*-].*/.exec(text)?.[0] ?? '').trim().slice(0, 100);

function Form({ source, clientId = '' }: { source: SourceText | null; clientId?: string | undefined }) {
  const before = source ?? { title: '', tags: [], text: '', kind: 'ingest', updatedAt: '' };
  const [title, setTitle] = useState(before.title);
  const [tags, setTags] = useState<readonly string[]>(before.tags);
  const rights = useRights();
  const [layer, setLayer] = useState(rights.canWrite(clientId || null) ? clientId : '');
  const navigate = useNavigate();
  const client = useQueryClient();
  const team = useTeam().id;
  const store = useChange('ingestSource', AFFECTED);
  const change = useChange('changeSource', AFFECTED);
  const isTagged = tags.join('\n') !== before.tags.join('\n');

  async function save(text: string, baseUpdatedAt: string | undefined): Promise<string> {
    if (text.trim() === '' && (source === null || baseUpdatedAt !== undefined))
      throw new Error('Write a text first.');
    const name = title.trim() || firstLine(text);
    if (source !== null) {
      const { redactions } = await change.mutateAsync([
        source.id,
        {
          ...(name !== source.title && { title: name }),
          ...(isTagged && { tags: [...tags] }),
          ...(baseUpdatedAt !== undefined && { text, baseUpdatedAt }),
        },
      ]);
      say(`Saved.${warning(redactions)}`);
      return source.id;
    }
    const scope = layer === '' ? {} : { clientId: layer };
    const stored = await store.mutateAsync([{ title: name, text, tags: [...tags], scope }]);
    client.setQueryData(similarKey(stored.source.id), stored.similarSources);
    const done = stored.duplicate ? 'This text was stored already. Here it is.' : 'Note stored.';
    say(`${done}${warning(stored.redactions)}`);
    return stored.source.id;
  }
  async function newerThan(refusal: unknown) {
    if (source === null || !(refusal instanceof Refusal) || refusal.code !== 'version_conflict') return null;
    const now = await send(team, 'getSource', [source.id, { text: true, limit: 1 }]);
    return { text: now.text ?? '', version: now.updatedAt, about: 'Someone stored a newer text' };
  }
  return (
    <TextEditor
      title={source === null ? 'New note' : 'Edit'}
      shows={source?.title ?? 'New note'}
      base={
        before.kind === 'ingest' && before.text != null
          ? { text: before.text, version: before.updatedAt }
          : null
      }
      isChanged={title !== before.title || isTagged}
      preview={(text) => <Reading text={text} form="lines" />}
      save={save}
      newerThan={newerThan}
      onClose={(id = source?.id) =>
        void navigate({
          replace: true,
          ...(id === undefined
            ? { to: '/sources', search: (now: object) => ({ ...now, new: undefined }) }
            : { to: '/sources/$id', params: { id } }),
        } as never)
      }
    >
      {(error, text) => (
        <>
          <div className="mb-3 grid gap-3 md:grid-cols-[minmax(0,1fr)_16rem]">
            <TextField
              label="Title"
              maxLength={300}
              autoComplete="off"
              placeholder={firstLine(text)}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
            {source === null && rights.clients.length > 0 && (
              <SelectField
                label="Client"
                value={layer}
                onChange={(event) => setLayer(event.target.value)}
                options={layerOptions(rights)}
              />
            )}
          </div>
          <div className="mb-3">
            <TagsField
              tags={tags}
              onAdd={(tag) => setTags([...tags, tag.toLowerCase()])}
              onRemove={(tag) => setTags(tags.filter((one) => one !== tag))}
            />
          </div>
          {error && (
            <div className="mb-3">
              <Failure error={new Error(error.message.replace(OTHER_SOURCE, 'Another source'))} />
              {OTHER_SOURCE.test(error.message) && (
                <SourceLink id={OTHER_SOURCE.exec(error.message)?.[1] ?? ''}>Show that source</SourceLink>
              )}
            </div>
          )}
        </>
      )}
    </TextEditor>
  );
}
