import { ignoredMessage, type InboundCall, type MessageAttachment, type NormalizedMessage } from '#libs/adapter-sdk';

/** States of a message that Twilio reports. Source: https://www.twilio.com/docs/messaging/api/message-resource */
const STATUSES = [
  'accepted',
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'read',
  'canceled',
];
const MAX_MEDIA = 10;
const MEDIA_PATH = /\/2010-04-01\/Accounts\/(\w+\/Messages\/\w+\/Media\/\w+)$/;

/** A form: a text message that came in, or what became of one that was sent. */
export function parseTwilioInbound({ request }: InboundCall): NormalizedMessage {
  const form = new URLSearchParams(request.text);
  const field = (name: string): string | undefined => form.get(name) || undefined;
  const [sid, from, to] = [field('MessageSid') ?? field('SmsSid'), field('From'), field('To')];
  const status = field('MessageStatus') ?? field('SmsStatus');
  if (sid === undefined || to === undefined) return ignoredMessage('unknown_event');
  if (status !== undefined && status !== 'received' && status !== 'receiving') {
    return STATUSES.includes(status)
      ? statusOf({ sid, to, status, code: field('ErrorCode') })
      : ignoredMessage('unknown_status', { raw_type: status });
  }
  if (from === undefined) return ignoredMessage('unknown_event');
  const metadata = {
    account: to,
    channel_address: from,
    message_id: sid,
    sender: { id: from, ...(field('ProfileName') !== undefined && { name: field('ProfileName') }) },
  };
  // Twilio has answered STOP, START and HELP itself, and takes no message to whoever wrote STOP.
  const optOut = field('OptOutType');
  if (optOut !== undefined) return ignoredMessage('opt_out', { ...metadata, raw_type: optOut });
  const attachments = mediaOf(form);
  const text = field('Body') ?? '';
  if (text === '' && attachments.length === 0) return ignoredMessage('no_text', metadata);
  return {
    event_type: 'message_received',
    sender: from,
    message: text,
    is_bot: false,
    is_dm: true,
    dedup_key: `twilio:${sid}`,
    metadata: { ...metadata, ...(attachments.length > 0 && { attachments }) },
  };
}

function statusOf(of: { sid: string; to: string; status: string; code: string | undefined }): NormalizedMessage {
  const { sid, to, status, code } = of;
  return {
    event_type: 'delivery_status',
    sender: to,
    message: code === undefined ? `${status}: ${to}` : `${status}: ${to}: Twilio error ${code}`,
    is_bot: false,
    dedup_key: `twilio:${sid}:${status}`,
    metadata: {
      status: status === 'undelivered' ? 'failed' : status,
      auto_submitted: true,
      notification: true,
      channel_address: null,
      message_id: sid,
      raw_type: `status.${status}`,
      ...(code !== undefined && { provider_code: code, reason: `Twilio error ${code}` }),
    },
  };
}

function mediaOf(form: URLSearchParams): MessageAttachment[] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, MAX_MEDIA);
  return Array.from({ length: count }, (_, index) => {
    const [path, type] = [
      MEDIA_PATH.exec(form.get(`MediaUrl${index}`) ?? '')?.[1],
      form.get(`MediaContentType${index}`),
    ];
    return path === undefined
      ? undefined
      : { id: path, name: `file-${index + 1}`, fetch_ref: path, ...(type && { content_type: type }) };
  }).filter((each) => each !== undefined);
}
