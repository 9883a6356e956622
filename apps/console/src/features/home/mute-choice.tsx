import { Radio, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type AlertRule, isMuted, muteRule, useAlertRules } from '../../api/alert-rules.js';
import { type AttentionItem, muteCause } from '../../api/attention.js';
import { useChange } from '../../api/use-change.js';
import { homeTexts } from '../../texts/home.js';
import { MuteFor } from '../../ui/mute-for.js';
import { ProblemAlert } from '../../ui/notices.js';

const texts = homeTexts.attention;

/** What is muted, and for how long. */
export default function MuteChoice({ item, onDone }: { item: AttentionItem; onDone: () => void }): ReactNode {
  const [ruleId, setRuleId] = useState('');
  const { data: rules = [] } = useAlertRules();
  const calling = rules.filter((rule) => callsAbout(rule, item.code));
  const mute = useChange(
    (hours: number) => (ruleId === '' ? muteCause(item.cause, hours) : muteRule(ruleId, hours)),
    'events',
    'alert-rules',
  );
  return (
    <Stack gap="sm" maw={360}>
      {calling.length > 0 && (
        <Radio.Group label={texts.muteWhat} value={ruleId} onChange={setRuleId}>
          <Stack gap={8} mt={6}>
            <Radio value="" label={texts.muteThis} />
            {calling.map(({ id, name }) => (
              <Radio key={id} value={id} label={texts.muteRule(name)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <MuteFor onChoose={(hours) => mute.mutate(hours, { onSuccess: onDone })} />
      <ProblemAlert error={mute.error} />
    </Stack>
  );
}

const callsAbout = (rule: AlertRule, code: string): boolean =>
  rule.enabled && !isMuted(rule) && rule.codes !== null && (rule.codes.length === 0 || rule.codes.includes(code));
