# The service in an image: packages by the hashes in requirements/, as `make` installs them; no compiler, no key, no root.
# Everything that is kept is below /data; keys come from files in /run/secrets, named like the variable.

FROM python:3.11-slim-bookworm AS build
WORKDIR /build
RUN mkdir /data && python -m venv /opt/adjudge
COPY requirements/service.txt requirements/
RUN /opt/adjudge/bin/python -m pip --disable-pip-version-check install --quiet --no-cache-dir \
      --only-binary :all: --require-hashes --requirement requirements/service.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/adjudge/bin/python -m pip --disable-pip-version-check install --quiet --no-cache-dir \
      --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
COPY --from=build /opt/adjudge /opt/adjudge
COPY --from=build --chown=10001:10001 /data /data
ENV PATH=/opt/adjudge/bin:$PATH XDG_DATA_HOME=/data HOME=/data CREDENTIALS_DIRECTORY=/run/secrets
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "from http.client import HTTPConnection as To; to = To('127.0.0.1', 8000, timeout=4); to.request('GET', '/api/health'); raise SystemExit(to.getresponse().status != 200)"]
ENTRYPOINT ["adjudge"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
