/** SQL of the host in an address, and its port if it names one. A template in it stays as it is written. */
export const hostOfUrl = (address: string): string =>
  String.raw`lower(substring(${address} from '^\s*[A-Za-z]+://(?:[^/?#@]*@)?([^/?#]*)'))`
