import type { MessageMetadata } from '#libs/adapter-sdk';
import type { MailFile, ReadMail } from './read-mime.js';

interface Property {
  name: string;
  parameters: ReadonlyMap<string, string>;
  value: string;
}

const MAX_CALENDAR_LENGTH = 256 * 1024;
const MAX_PEOPLE = 20;
const TITLES: Record<string, string> = {
  REQUEST: 'Invitation',
  CANCEL: 'Cancelled',
  REPLY: 'Answer to an invitation',
  COUNTER: 'Another time is proposed',
  PUBLISH: 'Event',
};
const ANSWERS: Record<string, string> = { ACCEPTED: 'accepted', DECLINED: 'declined', TENTATIVE: 'perhaps' };

/** The event of a calendar part (RFC 5545, 5546) in words, and as fields. */
export function mailInvite({ files }: ReadMail): { words: string; metadata: MessageMetadata } | undefined {
  const file = files.find(({ type }) => /^(?:text\/calendar|application\/ics)$/.test(type));
  const properties = file ? propertiesOf(file) : [];
  const begin = properties.findIndex(({ name, value }) => name === 'BEGIN' && value === 'VEVENT');
  if (begin < 0) return undefined;
  const end = properties.findIndex(({ name, value }, at) => at > begin && name === 'END' && value === 'VEVENT');
  const event = properties.slice(begin + 1, end < 0 ? undefined : end);
  const first = (name: string): Property | undefined => event.find((property) => property.name === name);
  const text = (name: string): string | undefined => plain(first(name)?.value) || undefined;
  const method = (properties.find(({ name }) => name === 'METHOD')?.value ?? file?.method ?? 'PUBLISH').toUpperCase();
  const people = event.filter(({ name }) => name === 'ATTENDEE');
  const [start, finish] = [timeOf(first('DTSTART')), timeOf(first('DTEND'))];
  const [summary, location, rule] = [text('SUMMARY') ?? 'without a title', text('LOCATION'), text('RRULE')];
  const organizer = personOf(first('ORGANIZER'));
  const wanted =
    method === 'REQUEST' && people.some(({ parameters }) => parameters.get('RSVP')?.toUpperCase() === 'TRUE');
  const [answerer] = method === 'REPLY' ? people : [];
  const answer = ANSWERS[answerer?.parameters.get('PARTSTAT')?.toUpperCase() ?? ''];
  const named = people.slice(0, MAX_PEOPLE).flatMap((person) => personOf(person) ?? []);
  const more = people.length > named.length ? ` and ${people.length - named.length} more` : '';
  const lines = [
    `${TITLES[method] ?? 'Event'}: ${summary}`,
    ...(start === undefined ? [] : [`When: ${whenOf(start, finish)}`]),
    ...(rule === undefined ? [] : [`Repeats: ${rule}`]),
    ...(location === undefined ? [] : [`Where: ${location}`]),
    ...(organizer === undefined ? [] : [`Organizer: ${organizer}`]),
    ...(named.length === 0 || answerer ? [] : [`Invited: ${named.join(', ')}${more}`]),
    ...(answerer && answer !== undefined ? [`${personOf(answerer) ?? 'Somebody'}: ${answer}`] : []),
    ...(wanted ? ['An answer is wanted.'] : []),
  ];
  const uid = text('UID');
  return {
    words: lines.join('\n'),
    metadata: {
      invite: {
        method: method.toLowerCase(),
        summary,
        ...(uid !== undefined && { uid: uid.slice(0, 500) }),
        ...(start && { start: start.local, ...(start.zone !== undefined && { time_zone: start.zone }) }),
        ...(finish && { end: finish.local }),
        ...(location !== undefined && { location }),
        ...(organizer !== undefined && { organizer }),
        ...(answer !== undefined && { answer }),
        answer_wanted: wanted,
      },
    },
  };
}

interface EventTime {
  /** As ISO 8601, with a Z in UTC; a whole day has no time. */
  local: string;
  zone: string | undefined;
  day: string;
  clock: string | undefined;
}

function timeOf(property: Property | undefined): EventTime | undefined {
  const [, year, month, date, hour, minute, second, utc] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(property?.value.trim() ?? '') ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  const word = (part: 'weekday' | 'month'): string => at.toLocaleDateString('en', { [part]: 'long', timeZone: 'UTC' });
  const isDay = hour === undefined;
  return {
    local: `${year}-${month}-${date}${isDay ? '' : `T${hour}:${minute}:${second}${utc}`}`,
    zone: utc === 'Z' ? 'UTC' : plain(property?.parameters.get('TZID')) || undefined,
    day: `${word('weekday')}, ${Number(date)} ${word('month')} ${year}`,
    clock: isDay ? undefined : `${hour}:${minute}`,
  };
}

function whenOf(start: EventTime, end: EventTime | undefined): string {
  const zone = start.zone === undefined ? '' : ` (${start.zone})`;
  if (start.clock === undefined) return `${start.day}, the whole day`;
  if (end?.clock === undefined) return `${start.day}, ${start.clock}${zone}`;
  return `${start.day}, ${start.clock} to ${end.day === start.day ? '' : `${end.day}, `}${end.clock}${zone}`;
}

function personOf(property: Property | undefined): string | undefined {
  if (!property) return undefined;
  const address = property.value.replace(/^mailto:/i, '').trim();
  const name = plain(property.parameters.get('CN'));
  return name === '' || name === address ? address || undefined : `${name} <${address}>`;
}

/** Unfolded content lines. A quoted parameter may hold colons and semicolons. */
function propertiesOf({ bytes }: MailFile): Property[] {
  const text = Buffer.from(bytes.subarray(0, MAX_CALENDAR_LENGTH)).toString('utf8');
  return text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, name, given = '', value] =
        /^([A-Za-z0-9-]+)((?:;[^=;:]{1,60}=(?:"[^"]*"|[^";:]*)(?:,"[^"]*")*)*):(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return [];
      const parameters = [...given.matchAll(/;([^=;:]{1,60})=(?:"([^"]*)"|([^";:]*))/g)].map(
        ([, key = '', quoted, bare]): [string, string] => [key.toUpperCase(), quoted ?? bare ?? ''],
      );
      return [{ name: name.toUpperCase(), parameters: new Map(parameters), value }];
    });
}

function plain(text: string | undefined): string {
  return (text ?? '')
    .replaceAll(/\\[nN]/g, ' ')
    .replaceAll(/\\([\\;,])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
