import type { ReactNode } from 'react';
import { bytesOf, textOf } from '../../app/content.ts';
import { useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { Name } from '../../ui/text.tsx';
import { TextEditor, WithFirst } from '../../ui/text-editor.tsx';
import { say } from '../../ui/toast.tsx';
import { Reading } from '../sources/reader.tsx';
import { isMarkdown, nameOf } from './shape.ts';
import { conflictIn, useFileChanges } from './workspace.ts';

/** Edits a text, or writes a new one. */
export default function FileEditor({ path }: { path: string }): ReactNode {
  const [, setFilters] = useFilters('/files');
  const changes = useFileChanges();
  const query = useRead('pullFiles', [{ files: [{ path }] }]);
  const name = nameOf(path);
  async function newerThan(refusal: unknown) {
    const conflict = conflictIn(refusal);
    if (conflict === undefined) return null;
    const { currentVersion: version, currentSha256 } = conflict;
    if (currentSha256 === null) return { version: 0, text: '', about: 'This file was deleted' };
    const text = textOf(await changes.pull(path, version)) ?? '';
    return { version, text, about: `Version ${version} was stored` };
  }
  return (
    <WithFirst query={query}>
      {({ files: [stored] }) => {
        const before = stored === undefined ? '' : textOf(bytesOf(stored.contentBase64));
        return (
          <TextEditor
            title={<Name>{name}</Name>}
            shows={`Edit ${name}`}
            base={before === null ? null : { text: before, version: stored?.version ?? 0 }}
            {...(isMarkdown(name) && {
              preview: (text) => <Reading text={text} form="markdown" />,
            })}
            save={async (text, baseVersion = 0) => {
              // A field of a page knows only one kind of line end.
              const content = before?.includes('\r\n') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
              await changes.store([{ path, baseVersion, content: new Blob([content]) }]);
              say(`${name} was saved.`);
              return true;
            }}
            newerThan={newerThan}
            onClose={(isSaved) =>
              void setFilters({
                as: undefined,
                version: undefined,
                ...(stored === undefined && isSaved === undefined && { path: undefined }),
              })
            }
          />
        );
      }}
    </WithFirst>
  );
}
