import { integer } from '#libs/service-kit';

export const eventSettings = {
  /** Events that one search looks at; a page may be short and go on from there. */
  EVENT_SEARCH_SCAN: integer(10_000, 500, 1_000_000),
  /** Events that one bulk replay or redrive may name. */
  EVENT_BATCH_MAX: integer(5_000, 1, 100_000),
  /** Live streams that one process serves, and of them one project. */
  EVENT_STREAMS: integer(200, 1, 10_000),
  EVENT_STREAMS_PER_PROJECT: integer(20, 1, 10_000),
  /** How often the journal is asked while somebody listens. */
  EVENT_STREAM_POLL_MS: integer(500, 50, 60_000),
  /** Silence after which a comment is sent: below the time-out of every proxy on the way. */
  EVENT_STREAM_HEARTBEAT_MS: integer(15_000, 100, 60_000),
  /** After this time a client has to come again, and show again that it may. */
  EVENT_STREAM_MAX_MS: integer(600_000, 1_000, 86_400_000),
  /** Unsent bytes of earlier rounds at which a client is too slow, and is closed. */
  EVENT_STREAM_BUFFER_BYTES: integer(262_144, 1_024, 67_108_864),
  /** Counts by the minute are kept for so many days, by the hour after that. */
  STATISTICS_MINUTE_DAYS: integer(7, 1, 90),
  STATISTICS_DAYS: integer(400, 1, 3_650),
  /** Days that claims and messages are kept. */
  RETENTION_DAYS: integer(30, 1, 3_650),
};
