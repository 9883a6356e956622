import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectQuery } from '../api/project-query.js';
import { historyTexts as texts } from '../texts/history.js';
import { DifferenceTable } from './diff-view.js';
import { ProblemAlert } from './notices.js';
import type { Versioned } from './versioned.js';

interface VersionDifferencesProps {
  of: Versioned;
  version: number;
  /** The version that it is compared with. */
  against: number;
}

/** What differs between two versions, field by field. */
export function VersionDifferences({ of, version, against }: VersionDifferencesProps): ReactNode {
  const { data, error } = useProjectQuery([...of.key, 'differences', version, against], (signal) =>
    of.differences(version, against, signal),
  );
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton height={60} />;
  const differences = data.differences.map(({ field, before, after }) => ({
    path: field,
    kind: 'changed' as const,
    before,
    after,
  }));
  return <DifferenceTable label={texts.against(against)} differences={differences} />;
}
