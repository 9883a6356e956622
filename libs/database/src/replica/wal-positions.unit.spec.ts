import { WalPositions, walPosition } from './wal-positions.js';

it('a position is read as Postgres writes it, also past 4 GB', () => {
  expect(walPosition('0/15D690F8')).toBe(0x15d690f8n);
  expect(walPosition('16/B374D848')).toBe(0x16b374d848n);
  expect(walPosition('1/0') > walPosition('0/FFFFFFFF')).toBe(true);
});

describe('how far a replica is behind', () => {
  it('is the time since the newest position that it has reached', () => {
    const positions = new WalPositions();
    for (const second of [1, 2, 3]) positions.add(second * 1_000, BigInt(second * 100));
    expect(positions.behindMs(100n, 3_500)).toBe(2_500);
    expect(positions.behindMs(299n, 3_500)).toBe(1_500);
    expect(positions.behindMs(300n, 3_500)).toBe(500);
    expect(positions.behindMs(5_000n, 3_500)).toBe(500);
  });

  it('does not grow while nothing is written, however long that is', () => {
    const positions = new WalPositions();
    for (let second = 0; second < 5_000; second += 1) positions.add(second * 1_000, 100n);
    expect(positions.behindMs(100n, 5_000_000)).toBe(1_000);
    expect(positions.behindMs(99n, 5_000_000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not known where it has not reached any that is remembered', () => {
    const positions = new WalPositions();
    expect(positions.behindMs(1n, 0)).toBe(Number.POSITIVE_INFINITY);
    for (let second = 0; second < 1_000; second += 1) positions.add(second * 1_000, BigInt(second));
    expect(positions.behindMs(50n, 1_000_000)).toBe(Number.POSITIVE_INFINITY);
    expect(positions.behindMs(500n, 1_000_000)).toBe(500_000);
  });

  it('is measured anew by a primary that took over and had received less', () => {
    const positions = new WalPositions();
    positions.add(1_000, 100n);
    positions.add(2_000, 200n);
    positions.add(3_000, 150n);
    expect(positions.behindMs(149n, 4_000)).toBe(Number.POSITIVE_INFINITY);
    expect(positions.behindMs(200n, 4_000)).toBe(1_000);
  });
});
