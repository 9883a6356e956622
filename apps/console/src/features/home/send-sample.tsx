import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { problemOf } from '../../api/problem.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { sampleBody } from './sample-body.js';

const texts = homeTexts.checklist;

/** Sends to the App's public address as anybody else would. */
export function SendSample({ url, signed }: { url: string; signed: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const send = useMutation({
    mutationFn: async () => {
      // By its path: the page is served by the same front door.
      const response = await fetch(new URL(url).pathname, {
        method: 'POST',
        credentials: 'omit',
        headers: { 'content-type': 'application/json' },
        body: sampleBody(),
      });
      if (!response.ok) throw await problemOf(response);
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) }),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        leftSection={<Send size={14} aria-hidden />}
        disabled={signed}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {texts.sendAction}
      </Button>
      <ProblemAlert error={send.error} />
    </Stack>
  );
}
