import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict } from '../api/problem.js';
import { useRefresh } from '../api/use-change.js';

interface EditorOptions<Value extends object> {
  /** The editable part of what is saved, as the page shows it now. */
  saved: Value;
  /** Of the data that `saved` is from. Without it, nobody else's change is noticed. */
  etag?: string | null;
  /** @param match the value of `If-Match` */
  save: (edited: { value: Value; change: Partial<Value> }, match: string | undefined) => Promise<unknown>;
  /** The keys of what is refetched afterwards, `saved` among it. */
  touched: readonly string[];
  /** A notification after it is saved. */
  announce?: string;
  onSaved?: () => void;
}

export interface Editor<Value extends object> {
  /** The saved value with the changes made here. */
  value: Value;
  /** Only the changes. */
  change: Partial<Value>;
  changed: boolean;
  set: (patch: Partial<Value>) => void;
  discard: () => void;
  save: () => void;
  saving: boolean;
  /** It was saved, and nothing was changed since. */
  saved: boolean;
  /** What saving threw, other than a conflict. */
  error: Error | null;
  /** For `<SaveBar>`. */
  bar: { changed: boolean; saving: boolean; onSave: () => void; onDiscard: () => void };
  /** For `<EtagConflict>`. */
  conflict: {
    error: Error | null;
    theirs: Value;
    mine: Value;
    onTakeTheirs: () => void;
    onSaveMine: () => void;
    onClose: () => void;
  };
}

/**
 * A form over saved data. Changes are kept apart, so that only they are sent. It overwrites somebody else's change only
 * after the person has seen it.
 */
export function useEditor<Value extends object>(options: EditorOptions<Value>): Editor<Value> {
  const { saved, etag = null, save, touched, announce, onSaved } = options;
  // With the ETag of the data read before the first change: anything saved since is a conflict.
  const [typed, setTyped] = useState<{ values: Partial<Value>; etag: string | null }>();
  const refresh = useRefresh(...touched);
  const names = Object.keys(typed?.values ?? {}) as (keyof Value)[];
  const differing = names.filter((name) => JSON.stringify(typed?.values[name]) !== JSON.stringify(saved[name]));
  const change = Object.fromEntries(differing.map((name) => [name, typed?.values[name]])) as Partial<Value>;
  const value = { ...saved, ...change };
  const changed = differing.length > 0;
  const saving = useMutation({
    mutationFn: (match: string | null) => save({ value, change }, match ?? undefined),
    onSuccess: () => {
      if (announce) notifications.show({ message: announce, color: 'teal' });
      onSaved?.();
    },
    // Also after a refusal: the conflict shows what somebody else saved.
    onSettled: async (_answer, error) => {
      await refresh();
      if (!error) setTyped(undefined);
    },
  });
  const discard = (): void => {
    setTyped(undefined);
    saving.reset();
  };
  const submit = (): void => saving.mutate(typed ? typed.etag : etag);
  return {
    value,
    change,
    changed,
    set: (patch) =>
      setTyped((before) => ({
        values: { ...before?.values, ...patch } as Partial<Value>,
        etag: before ? before.etag : etag,
      })),
    discard,
    save: submit,
    saving: saving.isPending,
    saved: saving.isSuccess && !changed,
    error: isConflict(saving.error) ? null : saving.error,
    bar: { changed, saving: saving.isPending, onSave: submit, onDiscard: discard },
    conflict: {
      error: saving.error,
      theirs: saved,
      mine: value,
      onTakeTheirs: discard,
      // The dialog has shown what this version replaces; a still newer one is the next conflict.
      onSaveMine: () => {
        setTyped((before) => before && { ...before, etag });
        saving.mutate(etag);
      },
      onClose: saving.reset,
    },
  };
}
