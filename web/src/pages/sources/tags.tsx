import { X } from 'lucide-react';
import { useState } from 'react';
import { KnownTags } from '../../ui/record-dialogs.tsx';
import { Name } from '../../ui/text.tsx';

/** The tags of a source, which are removed and added one by one: a tag can contain a comma. */
export function TagsField({
  tags,
  onAdd,
  onRemove,
}: {
  tags: readonly string[];
  onAdd: (tag: string) => void;
  onRemove: (tag: string) => void;
}) {
  const [typed, setTyped] = useState('');
  function add() {
    const tag = typed.trim();
    setTyped('');
    if (tag !== '' && !tags.includes(tag.toLowerCase())) onAdd(tag);
  }
  return (
    <div className="flex flex-wrap items-center gap-1">
      {tags.map((tag) => (
        <span
          key={tag}
          className="inline-flex max-w-full items-center rounded border border-line pl-1.5 text-xs leading-5 text-soft"
        >
          <Name className="truncate">{tag}</Name>
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            className="rounded p-0.5 hover:bg-hover hover:text-ink"
            onClick={() => onRemove(tag)}
          >
            <X aria-hidden size={12} />
          </button>
        </span>
      ))}
      <input
        aria-label="Add a tag"
        placeholder="Add a tag"
        list="known-tags"
        maxLength={50}
        autoComplete="off"
        className="h-6 w-28 rounded border border-line bg-panel px-1.5 text-xs placeholder:text-faint focus:border-edge"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped('');
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey)
            return;
          event.preventDefault();
          add();
        }}
      />
      <KnownTags id="known-tags" />
    </div>
  );
}
