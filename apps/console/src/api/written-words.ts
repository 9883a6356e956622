import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEventStream } from './event-stream.js';
import { projectKey, useProjectId } from './project-query.js';

/** What a turn is doing. */
export interface Written {
  text: string;
  /** Tools that it calls. */
  tools: string[];
}

interface Frame extends Written {
  turn_id: string;
  /** The text replaces what follows so many characters. */
  at: number;
}

interface Followed {
  /** Of the stream. */
  path: string;
  enabled: boolean;
  /** The key of what lists the turns. */
  listed: string;
}

/** What turns write, while they write it. A turn that has ended is read instead. */
export function useWrittenWords({ path, enabled, listed }: Followed): ReadonlyMap<string, Written> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const [written, setWritten] = useState<ReadonlyMap<string, Written>>(new Map());
  const refetch = (...key: string[]): void =>
    void queryClient.invalidateQueries({ queryKey: projectKey(projectId, key) });
  useEventStream({
    path,
    enabled,
    onMessage: ({ event, data }) => {
      const { turn_id: id, at, text, tools } = JSON.parse(data) as Frame;
      if (event === 'end') {
        refetch('turn', id);
        refetch(listed);
        return;
      }
      if (event !== 'turn') return;
      // Its message may not be on the page yet.
      if (!written.has(id)) refetch(listed);
      setWritten((before) => {
        const known = before.get(id)?.text ?? '';
        return new Map(before).set(id, { text: known.slice(0, at) + text, tools });
      });
    },
  });
  return written;
}
