import { parseAddress, parseRange, inRange } from './address.js';
import { classifyAddress } from './address-verdict.js';

const classify = (text: string) => {
  const bytes = parseAddress(text);
  return bytes ? classifyAddress(bytes) : 'unreadable';
};

describe('the verdict on an address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ])('calls %s public', (address) => expect(classify(address)).toBe('public'));

  // Teredo: a private server, then a private client (192.168.1.1, its bits flipped) behind a public server.
  it.each(
    `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 172.16.0.1 172.31.255.255 192.0.0.1
     192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
     255.255.255.255 :: ::1 ::127.0.0.1 ::10.0.0.1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1
     ff02::1 2001:db8::1 3fff::1 2001:2::1 2001:20::1 100::1 5f00::1 ::ffff:127.0.0.1 ::ffff:7f00:1
     0:0:0:0:0:ffff:10.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::a00:1 64:ff9b:1::808:808 2002:7f00:1::
     2002:c0a8:101::1 2001:0:a00:1::f7f7:f7f7 2001:0:808:808:0:0:3f57:fefe`.split(/\s+/),
  )('calls %s private', (address) => expect(classify(address)).toBe('private'));

  it.each(
    `169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd20:ce::254
     ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: ::169.254.169.254`.split(/\s+/),
  )('calls %s metadata', (address) => expect(classify(address)).toBe('metadata'));
});

describe('address blocks', () => {
  it('compare whole bits, not whole bytes', () => {
    const range = parseRange('10.16.0.0/12');
    expect(range && inRange([10, 31, 255, 255], range)).toBe(true);
    expect(range && inRange([10, 32, 0, 0], range)).toBe(false);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '010.0.0.1', '1.2.3', 'fd00::/129', 'host', ''])(
    'reject %j',
    (text) => expect(parseRange(text)).toBeUndefined(),
  );
});
