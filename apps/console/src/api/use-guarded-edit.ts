import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict } from './problem.js';

/** What was read, and the value of `If-Match` for a change to it. */
export interface Tagged<Shown> {
  data: Shown;
  etag: string | null;
}

interface GuardedEdit<Shown, Values> {
  /** What the person saw when editing began. */
  base: Tagged<Shown>;
  /** The editable part of it. */
  toValues: (shown: Shown) => Values;
  read: () => Promise<Tagged<Shown>>;
  save: (values: Values, etag: string | null) => Promise<unknown>;
  onSaved: () => void;
  /** The person takes what somebody else saved. */
  onTheirs: (values: Values) => void;
}

/** Saves what one person edits. It overwrites somebody else's change only after the person has seen it. */
export function useGuardedEdit<Shown, Values>(edit: GuardedEdit<Shown, Values>) {
  const { base, toValues, read, save, onSaved, onTheirs } = edit;
  const [etag, setEtag] = useState(base.etag);
  const [theirs, setTheirs] = useState<Tagged<Shown>>();
  const [mine, setMine] = useState<Values>();
  const saving = useMutation({
    mutationFn: (sent: { values: Values; etag: string | null }) => save(sent.values, sent.etag),
    onSuccess: onSaved,
    onError: async (error) => {
      if (isConflict(error)) setTheirs(await read());
    },
  });
  const submit = (values: Values, tag: string | null): void => {
    setMine(values);
    setTheirs(undefined);
    saving.mutate({ values, etag: tag });
  };
  return {
    save: (values: Values) => submit(values, etag),
    saving: saving.isPending,
    error: isConflict(saving.error) ? null : saving.error,
    conflict: {
      error: saving.error,
      theirs: theirs && toValues(theirs.data),
      mine,
      onTakeTheirs: () => {
        if (!theirs) return;
        setEtag(theirs.etag);
        onTheirs(toValues(theirs.data));
        saving.reset();
      },
      onSaveMine: () => {
        if (!theirs || mine === undefined) return;
        setEtag(theirs.etag);
        submit(mine, theirs.etag);
      },
      onClose: () => saving.reset(),
    },
  };
}
