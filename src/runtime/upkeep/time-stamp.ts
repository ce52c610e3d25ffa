import { Integer, OctetString } from 'asn1js';
import { AlgorithmIdentifier, MessageImprint, TimeStampReq, TimeStampResp } from 'pkijs';

const sha256Oid = '2.16.840.1.101.3.4.2.1';

/** A request (RFC 3161, DER) to time-stamp a SHA-256 digest (hex). The answer must contain the same nonce. */
export function timeStampRequest(digestHex: string, nonce: number): Uint8Array {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: sha256Oid }),
      hashedMessage: new OctetString({ valueHex: new Uint8Array(Buffer.from(digestHex, 'hex')).buffer }),
    }),
    nonce: new Integer({ value: nonce }),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER(false));
}

/**
 * Whether an answer (DER) grants a time-stamp. It does not show that the answer is genuine; `openssl ts -verify` proves
 * that with the authority's certificate.
 */
export function isGranted(answer: Uint8Array): boolean {
  try {
    const response = TimeStampResp.fromBER(new Uint8Array(answer).buffer);
    // 0 means granted, 1 granted with modifications (RFC 3161, section 2.4.2).
    return Number(response.status.status) <= 1 && response.timeStampToken !== undefined;
  } catch {
    return false;
  }
}
