import { Select, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../../api/named-schema.js';
import { simulatorTexts } from '../../../texts/simulator.js';
import { CodeBlock } from '../../../ui/code-block.js';

type Sample = Schema<'AvailableSampleView'>;

interface SampleChoiceProps {
  samples: Sample[];
  chosen: Sample | undefined;
  onChoose: (eventType: string) => void;
}

/** One of the bodies that the App's manifest gives. */
export function SampleChoice({ samples, chosen, onChoose }: SampleChoiceProps): ReactNode {
  if (!chosen) return <Text c="dimmed">{simulatorTexts.noSamples}</Text>;
  return (
    <Stack gap="xs">
      <Select
        label={simulatorTexts.sample}
        description={chosen.description}
        allowDeselect={false}
        searchable={samples.length > 8}
        data={samples.map(({ event_type }) => event_type)}
        value={chosen.event_type}
        onChange={(type) => type && onChoose(type)}
      />
      <CodeBlock label={simulatorTexts.typed} code={chosen.body} wrap />
    </Stack>
  );
}
