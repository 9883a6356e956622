import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { download } from '../../api/download.js';
import { usageTexts } from '../../texts/usage.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** What the page shows, by day, as a file. */
export function ExportUsage({ from, by }: { from: string; by: 'agent' | 'contact' | 'model' }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => download(`/api/v1/usage/export?from=${from}&by=${by}&format=csv`, `usage-${from}-by-${by}.csv`),
  });
  return (
    <>
      <Button variant="default" leftSection={<Download size={16} />} loading={isPending} onClick={() => mutate()}>
        {usageTexts.exported}
      </Button>
      {error && <ProblemAlert error={error} />}
    </>
  );
}
