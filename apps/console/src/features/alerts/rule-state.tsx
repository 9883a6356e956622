import type { ReactNode } from 'react';
import { type AlertRule, isMuted } from '../../api/alert-rules.js';
import { alertTexts } from '../../texts/alerts.js';
import { StatusBadge } from '../../ui/status-badge.js';

const texts = alertTexts.states;

/** Whether a rule calls anybody now. */
export function RuleState({ rule }: { rule: AlertRule }): ReactNode {
  if (!rule.enabled) return <StatusBadge status="off" label={texts.off} />;
  return isMuted(rule) ? (
    <StatusBadge status="muted" tone="warn" label={texts.muted} />
  ) : (
    <StatusBadge status="active" label={texts.on} />
  );
}
