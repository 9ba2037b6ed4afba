// A self-signed certificate for 127.0.0.1 and localhost. Made once for these tests, valid for a hundred years: it protects
// nothing, and the tests need no openssl.

import { writeFileSync } from 'node:fs'
import type { Home } from './program.ts'

export interface Certificate {
  /** The certificate, which is its own authority. */
  file: string
  cert: string
  key: string
}

export function keepCertificate(home: Home): Certificate {
  const file = home.path('upstream.pem')
  writeFileSync(file, cert)
  return { file, cert, key }
}

/** The file of an authority that has signed nothing here. */
export function keepOtherAuthority(home: Home): string {
  const file = home.path('other.pem')
  writeFileSync(file, otherAuthority)
  return file
}

/** For servers within the tests. */
export const selfSigned = () => ({ cert, key })

const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUaLlt2CL6445ogNdQHY8zwJhEogcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTA5MjQxMVoYDzIxMjYxMDIy
MDkyNDExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASoqlwEKvfPz9o4xOo2LoyH1cHC3b7X4FW+GJ8HhH7jvaRCXp9/aeXB
JcS3YF+5j6bAp7K2/PsAwv38ppId5HlIo28wbTAdBgNVHQ4EFgQUX15w6peB5nsA
jxRCyygDncDKG6IwHwYDVR0jBBgwFoAUX15w6peB5nsAjxRCyygDncDKG6IwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgK3uXDgRIlOtboFxj7QHlEIgl+REk8mj9wlByBqcATa4CIQCK
MkVgvTK6o+RsAthJC87xhhIfzXZIP6PHf9k26zRzVQ==
-----END CERTIFICATE-----
`

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJlxp2kswOkWp1szu
75FAsf8iGL96QXIh9twXpEI9qaahRANCAASoqlwEKvfPz9o4xOo2LoyH1cHC3b7X
4FW+GJ8HhH7jvaRCXp9/aeXBJcS3YF+5j6bAp7K2/PsAwv38ppId5HlI
-----END PRIVATE KEY-----
`

const otherAuthority = `-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUdL03fifyNs6KWbEqHqGEPmMh4xIwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTE1MDkyNDMzWhgPMjEyNjEwMjIwOTI0
MzNaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
XXyuS/tYo216qGh3XhJP0xjuz+s14atokbWfnP8+k6YmEkV/g3mgYUlyM3VGVXm8
FNxkyS7TnW3mdcWApekHK6NTMFEwHQYDVR0OBBYEFKbRxRfMeTzpv9jqB2e9bFm4
v68wMB8GA1UdIwQYMBaAFKbRxRfMeTzpv9jqB2e9bFm4v68wMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgTHeiaPJytGhwnPHU2+5y+Oy7CUO89EBH
peO4p7WVpRsCIQDr1D63gBNhaPwHNkJoRG5HYaX6GWnzFBvRXEBsRVp6vQ==
-----END CERTIFICATE-----
`
