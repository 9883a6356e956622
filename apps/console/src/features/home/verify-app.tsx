import { Alert, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const texts = homeTexts.checklist;

/** Asks the App whether it can do what it should. */
export function VerifyApp({ appId }: { appId: string }): ReactNode {
  const verify = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/apps/{id}/verify', { params: { path: { id: appId } } })),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
        {texts.verifyAction}
      </Button>
      {verify.data && (
        <Alert variant="light" color={verify.data.ok ? 'teal' : 'yellow'} icon={<CircleCheck size={18} aria-hidden />}>
          {verify.data.ok ? texts.verified : (verify.data.error ?? verify.data.code)}
        </Alert>
      )}
      <ProblemAlert error={verify.error} />
    </Stack>
  );
}
