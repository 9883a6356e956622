import type { Alert, AlertMessage } from './alert.entity.js';

type Facts = Pick<Alert, 'kind' | 'text' | 'what_to_do' | 'since' | 'created_at'> & { rule: string };

/** What an alert news: the first line is what it is about. */
export function messageOf(
  { kind, text, what_to_do: advice, since, created_at: at, rule }: Facts,
  { project, link }: { project: string; link: string },
): AlertMessage {
  const lasted = lengthOf(at.getTime() - since.getTime());
  const heads = {
    began: text,
    still: `Still, for ${lasted}: ${text}`,
    over: `Over, after ${lasted}: ${text}`,
    test: `Test: ${text}`,
  };
  const subject = `[${project}] ${heads[kind]}`;
  const lines = [
    subject,
    ...(kind === 'over' || advice === '' ? [] : [advice]),
    ...(kind === 'began' ? [`Since ${since.toISOString().slice(0, 16).replace('T', ' ')} UTC.`] : []),
    `${link} (rule “${rule}”)`,
  ];
  return { subject: subject.slice(0, 200), text: lines.join('\n') };
}

function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
