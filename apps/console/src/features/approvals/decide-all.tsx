import { Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { approvalTexts } from '../../texts/approvals.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { whyNot } from '../../ui/decide.js';

type Approval = Schema<'ApprovalView'>;
const texts = approvalTexts.all;

/**
 * Approves calls of one tool together: each is decided, and recorded, by itself. What destroys is decided one by one,
 * because its arguments have to be read.
 */
export function DecideAll({ approvals }: { approvals: readonly Approval[] }): ReactNode {
  const session = useSession();
  const mine = approvals.filter((one) => one.grade !== 'destructive' && whyNot(one, session) === null);
  const groups = [...Map.groupBy(mine, ({ tool }) => tool)].filter(([, calls]) => calls.length > 1);
  return groups.map(([tool, calls]) => <OneTool key={tool} tool={tool} calls={calls} />);
}

function OneTool({ tool, calls }: { tool: string; calls: Approval[] }): ReactNode {
  const refresh = useRefresh('approvals', 'approval');
  const [done, setDone] = useState(0);
  const decide = useMutation({
    mutationFn: async (all: Approval[]) => {
      for (const [index, { id }] of all.entries()) {
        await answer(api.POST('/api/v1/approvals/{id}/approve', { params: { path: { id } }, body: {} }));
        setDone(index + 1);
      }
    },
    onMutate: () => setDone(0),
    // Also after a refusal: what was decided before it stays decided.
    onSettled: refresh,
  });
  const total = decide.isPending ? decide.variables.length : calls.length;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text>{texts.waiting(calls.length, tool)}</Text>
        <ConfirmButton
          question={texts.question(calls.length, tool)}
          loading={decide.isPending}
          onConfirm={() => decide.mutate(calls)}
        >
          {texts.approve(calls.length)}
        </ConfirmButton>
      </Group>
      {decide.isPending && <Progress value={(done / total) * 100} aria-label={texts.progress(done, total)} />}
      <ProblemAlert error={decide.error} />
    </Stack>
  );
}
