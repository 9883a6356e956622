import { kindOf, usePrincipals } from '../api/principals.js';
import { useSession } from '../api/session.js';
import { named } from '../drawn/drawn-text.js';
import { agentTexts } from '../texts/agents.js';

const texts = agentTexts.powers;

/** People, contacts and keys by kind, plus those already named that the reader does not know. */
export function useApprovers(chosen: readonly string[]) {
  const { member } = useSession();
  const known = usePrincipals();
  const unknown = chosen.filter((subject) => !known.some((one) => one.subject === subject));
  const all = [...known, ...unknown.map((subject) => ({ subject, name: subject }))];
  return Object.entries(texts.kinds)
    .map(([kind, group]) => ({
      group,
      items: all
        .filter(({ subject }) => kindOf(subject) === kind)
        .map(({ subject, name }) => ({
          value: subject,
          label: subject === `user:${member.id}` ? `${named(name)} (${texts.you})` : name,
        })),
    }))
    .filter(({ items }) => items.length > 0);
}
