import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../../api/choices.js';
import { useScope } from '../../../api/session.js';
import type { Schema } from '../../../api/client.js';
import { eventPageTexts } from '../../../texts/event.js';
import { uiTexts } from '../../../texts/ui.js';
import { Hint } from '../../../ui/hint.js';
import type { EventDetail } from './steps.js';
import { useRequest } from './use-event.js';

/** A command that sends the same bytes to the same App. */
export function CopyCurl({ event }: { event: EventDetail }): ReactNode {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  const mayRead = useScope('events:read_body');
  const byWebhook = event.app_id?.startsWith('app_') === true;
  const request = useRequest(event.id, mayRead && byWebhook).data;
  const app = useApps().data?.find(({ id }) => id === event.app_id);
  if (!request || request.body === null || !request.body_is_whole || !app?.webhook_url) return null;
  const command = curlOf(request, app.webhook_url);
  const button = (
    <Button
      variant="default"
      leftSection={copied ? <Check size={14} aria-hidden /> : <Terminal size={14} aria-hidden />}
      onClick={() => copy(command)}
    >
      {copied ? uiTexts.copied : eventPageTexts.copyCurl}
    </Button>
  );
  return app.signature ? <Hint label={eventPageTexts.curlSigned}>{button}</Hint> : button;
}

/** Headers that every client or a proxy on the way sets itself. */
const ofTransport = /^(host|connection|content-length|accept|accept-encoding|user-agent|x-forwarded-.*|traceparent)$/;

function curlOf({ method, headers, query, body }: Schema<'EventRequestView'>, webhookUrl: string): string {
  const url = new URL(webhookUrl);
  for (const { name, value, masked } of query) if (!masked) url.searchParams.append(name, value);
  const given = headers.filter(({ name, masked }) => !masked && !ofTransport.test(name));
  return [
    `curl -X ${method} ${quoted(url.href)}`,
    ...given.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
