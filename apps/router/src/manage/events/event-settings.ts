import { integer } from '#libs/service-kit';

export const eventSettings = {
  /** Events that one search scans; a page may be short and continue from there. */
  EVENT_SEARCH_SCAN: integer(10_000, 500, 1_000_000),
  /** Most events in one bulk replay or redrive. */
  EVENT_BATCH_MAX: integer(5_000, 1, 100_000),
  /** Live streams that one process serves, in all and per project. */
  EVENT_STREAMS: integer(200, 1, 10_000),
  EVENT_STREAMS_PER_PROJECT: integer(20, 1, 10_000),
  /** How often the journal is read while somebody listens. */
  EVENT_STREAM_POLL_MS: integer(500, 50, 60_000),
  /** Silence after which a comment is sent: shorter than the timeout of any proxy on the way. */
  EVENT_STREAM_HEARTBEAT_MS: integer(15_000, 100, 60_000),
  /** After this time a client has to reconnect, and prove again that it may listen. */
  EVENT_STREAM_MAX_MS: integer(600_000, 1_000, 86_400_000),
  /** Unsent bytes of earlier rounds at which a client is too slow, and is disconnected. */
  EVENT_STREAM_BUFFER_BYTES: integer(262_144, 1_024, 67_108_864),
  /** Counts are kept by the minute for this many days, and by the hour after that. */
  STATISTICS_MINUTE_DAYS: integer(7, 1, 90),
  STATISTICS_DAYS: integer(400, 1, 3_650),
  /** Days that claims and messages are kept. */
  RETENTION_DAYS: integer(30, 1, 3_650),
};
