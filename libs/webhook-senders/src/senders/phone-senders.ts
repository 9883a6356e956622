import type { WebhookSender } from '../webhook-sender.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Calls and text messages. */
export const phoneSenders: WebhookSender[] = [
  {
    id: 'twilio',
    name: 'Twilio',
    source: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
    verification: {
      scheme: 'hmac',
      header: 'x-twilio-signature',
      prefix: '',
      algorithm: 'sha1',
      encoding: 'base64',
      signed_text: '{url}{params}',
      body_hash_query: 'bodySHA256',
    },
    reading: {
      event_type: ['message.{/MessageStatus}', 'call.{/CallStatus}', 'message.{/SmsStatus}'],
      dedup_key: ['{/MessageSid}:{/MessageStatus}', '{/MessageSid}', '{/CallSid}:{/CallStatus}'],
      sender: ['{/From}', 'twilio'],
      text: ['{/Body}', '{/SpeechResult}'],
    },
    ack: { status: 200, body: '<Response/>', content_type: 'text/xml' },
    menu: 'the phone number’s Messaging or Voice configuration (webhook, HTTP POST)',
    secret: 'the Auth Token of the account',
    sample: { headers: form, body: 'MessageSid=SM1&SmsStatus=received&From=%2B15550100&To=%2B15550101&Body=Hello' },
  },
  {
    id: 'telnyx',
    name: 'Telnyx',
    source: 'https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks',
    verification: {
      scheme: 'ed25519',
      header: 'telnyx-signature-ed25519',
      encoding: 'base64',
      timestamp_header: 'telnyx-timestamp',
      signed_text: '{timestamp}|{body}',
    },
    reading: {
      event_type: ['{/data/event_type}'],
      dedup_key: ['{/data/id}'],
      sender: ['{/data/payload/from/phone_number}', '{/data/payload/from}', 'telnyx'],
      text: ['{/data/payload/text}'],
    },
    menu: 'the messaging profile or application (webhook URL)',
    secret: 'the Public Key (Keys & Credentials)',
    sample: {
      body: {
        data: {
          id: 'e1',
          event_type: 'message.received',
          payload: { from: { phone_number: '+15550100' }, text: 'Hello' },
        },
      },
    },
  },
  {
    id: 'vonage',
    name: 'Vonage',
    source: 'https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks',
    verification: { scheme: 'jwt-hs256', body_hash_claim: 'payload_hash' },
    reading: {
      event_type: ['message.{/status}', 'message{?/message_uuid}', '{/status}'],
      dedup_key: ['{/message_uuid}:{/status}', '{/message_uuid}', '{/uuid}:{/status}'],
      sender: ['{/from/number}', '{/from}', 'vonage'],
      text: ['{/text}'],
    },
    menu: 'the application’s Webhooks',
    secret: 'the Signature secret (API settings)',
    sample: { body: { message_uuid: 'm1', from: '15550100', text: 'Hello' } },
  },
  {
    id: 'bird',
    name: 'Bird (MessageBird)',
    source: 'https://developers.messagebird.com/api/#verifying-http-requests',
    verification: { scheme: 'jwt-hs256', header: 'messagebird-signature-jwt', body_hash_claim: 'payload_hash' },
    reading: {
      event_type: ['{/type}', '{/status}', 'message'],
      dedup_key: ['{/id}:{/status}', '{/message/id}', '{/id}'],
      sender: ['{/originator}', '{/contact/msisdn}', 'bird'],
      text: ['{/message/content/text}', '{/body}'],
    },
    menu: 'Developers → Webhooks',
    secret: 'the Signing key',
    sample: { body: { type: 'message.created', message: { id: 'm1', content: { text: 'Hello' } } } },
  },
  {
    id: 'sinch',
    name: 'Sinch Conversation',
    source: 'https://developers.sinch.com/docs/conversation/callbacks',
    verification: {
      scheme: 'hmac',
      header: 'x-sinch-webhook-signature',
      prefix: '',
      encoding: 'base64',
      timestamp_header: 'x-sinch-webhook-signature-timestamp',
      signed_text: '{body}.{header:x-sinch-webhook-signature-nonce}.{timestamp}',
    },
    reading: {
      event_type: ['message{?/message}', 'delivery{?/message_delivery_report}', 'event{?/event}'],
      dedup_key: ['{header:x-sinch-webhook-signature-nonce}'],
      sender: ['{/message/channel_identity/identity}', 'sinch'],
      text: ['{/message/contact_message/text_message/text}'],
    },
    menu: 'the app’s Webhooks',
    secret: 'the Secret Token that is entered there',
    sample: {
      body: {
        message: {
          id: 'm1',
          channel_identity: { identity: '15550100' },
          contact_message: { text_message: { text: 'Hello' } },
        },
      },
    },
  },
  {
    id: 'bandwidth',
    name: 'Bandwidth',
    source: 'https://dev.bandwidth.com/docs/messaging/webhooks/',
    verification: { scheme: 'basic' },
    reading: {
      items: '',
      event_type: ['{/type}', '{/eventType}'],
      dedup_key: ['{/message/id}:{/type}', '{/callId}:{/eventType}'],
      sender: ['{/message/from}', '{/from}', 'bandwidth'],
      text: ['{/message/text}'],
    },
    menu: 'the application’s callback URL, with user ID and password',
    secret: 'user:password, as entered there,',
    sample: { body: [{ type: 'message-received', message: { id: 'm1', from: '+15550100', text: 'Hello' } }] },
  },
  {
    id: 'ringcentral',
    name: 'RingCentral',
    source: 'https://developers.ringcentral.com/guide/notifications/webhooks/receiving',
    verification: { scheme: 'secret', header: 'verification-token' },
    reading: {
      event_type: ['{/event}'],
      dedup_key: ['{/uuid}'],
      sender: ['{/body/from/phoneNumber}', '{/ownerId}', 'ringcentral'],
      text: ['{/body/subject}'],
    },
    handshake: {
      method: 'POST',
      match: { header: 'validation-token' },
      respond: { header: 'validation-token', as_header: 'validation-token' },
      unsigned: true,
    },
    menu: 'the call POST /restapi/v1.0/subscription',
    secret: 'the verificationToken of that call',
    sample: {
      body: { uuid: 'u1', event: '/restapi/v1.0/account/1/extension/2/message-store', body: { subject: 'Hello' } },
    },
  },
  {
    id: 'aircall',
    name: 'Aircall',
    source: 'https://developer.aircall.io/api-references/#webhooks',
    verification: { scheme: 'secret', pointer: '/token' },
    reading: {
      event_type: ['{/event}'],
      dedup_key: ['{/event}:{/data/id}:{/timestamp}'],
      sender: ['{/data/raw_digits}', '{/data/user/email}', 'aircall'],
    },
    menu: 'Integrations & API → Webhooks',
    secret: 'the token of the webhook',
    sample: {
      body: {
        resource: 'call',
        event: 'call.created',
        timestamp: 1,
        token: '@@',
        data: { id: 7, raw_digits: '+15550100' },
      },
    },
  },
];
