import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ManifestItem } from '../../../../shared/schemas/workspace.ts';
import { layerOptions, useRights } from '../../app/rights.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { count, size } from '../../ui/text.tsx';
import { say } from '../../ui/toast.tsx';
import { clientOf, layerOf, nameOf } from './shape.ts';
import { conflictIn, type FileChanges } from './workspace.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 200;
/** What one request can have of contents, in bytes. */
const MAX_REQUEST_BYTES = 20 * 1024 * 1024;

/** Uploads files, and makes new ones. */
export function useUpload(known: ReadonlyMap<string, ManifestItem> | undefined, changes: FileChanges) {
  const field = useRef<HTMLInputElement>(null);
  const [folder, setFolder] = useState('team');
  /** What is asked for a place: the chosen files, or none for a new one. */
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const isNew = files?.length === 0;
  const inside = folder.slice(layerOf(folder).length + 1);
  const rights = useRights();
  const navigate = useNavigate();

  /** @param to the folder, or the path of a new file */
  async function put(to: string) {
    if (files === null || isNew) return navigate({ to: '/files', search: { path: to, as: 'edit' } });
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    if (
      files.length > MAX_FILES ||
      bytes > MAX_REQUEST_BYTES ||
      files.some((file) => file.size > MAX_FILE_BYTES)
    )
      throw new Error(
        `A file has at most ${size(MAX_FILE_BYTES)}. At once, upload at most ${MAX_FILES} files with ${size(MAX_REQUEST_BYTES)} in all, or sync a folder.`,
      );
    const contents = files.map((content) => {
      const path = `${to}/${content.name.normalize('NFC')}`;
      const there = known?.get(path);
      return { path, baseVersion: there?.deleted === false ? there.version : 0, content };
    });
    await changes.store(contents).catch((error: unknown) => {
      const conflict = conflictIn(error);
      if (conflict === undefined) throw error;
      throw new Error(`${nameOf(conflict.path)} was changed by someone else. Look at it, and upload again.`);
    });
    const newer = contents.filter(({ baseVersion }) => baseVersion > 0).length;
    const which = newer === 0 ? '' : `, ${newer === files.length ? '' : `${newer} `}as a new version`;
    say(`${count(files.length, 'file')} uploaded${which}.`);
    setFiles(null);
  }
  return {
    /** Chooses files for a folder. */
    upload: (to = 'team') => {
      setFolder(to);
      field.current?.click();
    },
    /** Makes a new file in a folder. */
    write: (to = 'team') => {
      setFolder(to);
      setFiles([]);
    },
    dialog: (
      <>
        <input
          ref={field}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ currentTarget }) => {
            const chosen = [...(currentTarget.files ?? [])];
            if (chosen.length > 0) setFiles(chosen);
            currentTarget.value = '';
          }}
        />
        {files !== null && (
          <FormDialog
            title={isNew ? 'New file' : `Upload ${count(files.length, 'file')}`}
            action={isNew ? 'Write it' : 'Upload'}
            onClose={() => setFiles(null)}
            send={(fields) => {
              const client = textIn(fields, 'client');
              const layer = client === '' ? 'team' : `clients/${client}`;
              const name = textIn(fields, 'name').replaceAll(/^\/+|\/+$/g, '');
              return put(`${layer}/${name}`.replace(/\/$/, '').normalize('NFC'));
            }}
          >
            <SelectField
              label="For"
              name="client"
              defaultValue={clientOf(folder) ?? ''}
              options={layerOptions(rights)}
            />
            <TextField
              label={isNew ? 'Name' : 'Folder'}
              name="name"
              required={isNew}
              autoFocus
              autoComplete="off"
              defaultValue={isNew && inside !== '' ? `${inside}/` : inside}
              placeholder={isNew ? 'notes/plan.md' : 'notes/2026'}
              hint={isNew ? 'With its folders, such as notes/plan.md.' : 'Empty: in no folder.'}
            />
          </FormDialog>
        )}
      </>
    ),
  };
}
