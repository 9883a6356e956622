import { Alert, Text } from '@mantine/core';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import { sourceTexts } from '../../texts/sources.js';
import { LongText } from '../../drawn/long-text.js';
import type { Source } from './use-source.js';

const texts = sourceTexts.readers;
const firstChars = 500;

/** What the provider says about who may open the place, and what it does not say. */
export function ReportedAccess({ source: { access, access_from: from } }: { source: Source }): ReactNode {
  if (from === 'project') return <Text size="sm">{texts.leftAside}</Text>;
  if (access === null) return <Text size="sm">{texts.notReported}</Text>;
  return (
    <>
      {access.note !== null && (
        <Alert variant="light" color="yellow" icon={<Eye size={18} aria-hidden />} title={texts.unknown}>
          {access.note}
        </Alert>
      )}
      <Text size="sm">
        {access.audience === 'listed' ? texts.listed(access.readers.length) : texts.reported[access.audience]}
      </Text>
      {access.readers.length > 0 && (
        <Text size="sm" component="div">
          <LongText text={access.readers.join(', ')} first={firstChars} />
        </Text>
      )}
    </>
  );
}
