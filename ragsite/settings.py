"""Django settings; every choice that a person can make comes from the environment (docs/settings.md lists them)."""

from __future__ import annotations

import os
from pathlib import Path

from csp.constants import NONE, SELF

from inference.loopback import is_loopback
from ragsite.database import database
from ragsite.environment import flag, go_offline, names, server_address, whole_number
from ragsite.home import data_folder, models_folder, secret_key
from ragsite.network import allowed_hosts

go_offline()

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = data_folder()
MODELS_DIR = models_folder()
RUN_DIR = HOME / "run"
FILES_DIR = HOME / "files"

HOST = os.environ.get("READAHEAD_HOST", "").strip() or "127.0.0.1"
PORT = whole_number("PORT", 8642, 1, 65535)
OPENS_AS_OWNER = is_loopback(HOST) and not flag("READAHEAD_SIGN_IN")
"""Local pages open as the owner. Never when bound to more than loopback: people sign in then."""

SECRET_KEY = secret_key(HOME)
DEBUG = flag("READAHEAD_DEBUG")
EXTRA_HOSTS = names("READAHEAD_ALLOWED_HOSTS")
ALLOWED_HOSTS = allowed_hosts(HOST, EXTRA_HOSTS)

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "csp",
    "django_q",
    "ragsite",
    "projects",
    "study",
    "inference",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "ragsite.owner.OwnerMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "ragsite.urls"
ASGI_APPLICATION = "ragsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": database(os.environ.get("READAHEAD_DATABASE", "").strip(), HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The in-memory layer does not cross processes; nothing important travels over it, state lives in rows.
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

Q_CLUSTER = {
    "name": "readahead",
    "orm": "default",
    "workers": 1,
    # Above what reading one file may take (projects.intake.extract.limits) with its indexing: a scan of some thousand
    # pages takes hours. What hangs is noticed long before, and a job whose worker died comes back when the next starts.
    "timeout": 4 * 3600 + 600,
    "retry": 4 * 3600 + 900,
    "max_attempts": 3,
    "poll": 0.2,
    "catch_up": False,
    "label": "Queue",
    "save_limit": 250,
    # The reader's own queue, so that reading ahead never delays an upload. Its job ends by itself (study.reader.RUN_S)
    # and is put in line again; a step under way then may take a slow machine minutes more.
    "ALT_CLUSTERS": {"study": {"timeout": 3600, "retry": 3660, "poll": 1.0}},
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "projects:list"
LOGOUT_REDIRECT_URL = "projects:list"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

HTTPS = flag("READAHEAD_HTTPS")
"""A proxy in front ends TLS. Its headers are not believed for it: this setting says so."""
CSRF_TRUSTED_ORIGINS = [f"https://{name}" for name in EXTRA_HOSTS] if HTTPS else []
# Cookies are shared by all ports of a host name: another local site must not overwrite ours.
SESSION_COOKIE_NAME = f"readahead_session_{PORT}"
CSRF_COOKIE_NAME = f"readahead_csrf_{PORT}"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_SAMESITE = "Strict"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# Not /tmp: others see its names, and it is often a small disk in memory.
FILE_UPLOAD_TEMP_DIR = HOME / "incoming"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
DATA_UPLOAD_MAX_NUMBER_FILES = 1000
MAX_UPLOAD_BYTES = whole_number("READAHEAD_MAX_UPLOAD_MB", 200, 1, 100_000) * 1024 * 1024
"""Largest single file, in bytes; the page states it before the upload."""

SNAPSHOT_QUOTA = whole_number("READAHEAD_SNAPSHOT_GB", 20, 0, 100_000) * 1024**3
"""Space for the model's states of what it has read, in bytes; 0 keeps none."""

SERVER_URL = server_address("READAHEAD_SERVER_URL")
"""An OpenAI-compatible server in place of the local model service; empty for what is chosen on the models page."""
SERVER_KEY = os.environ.get("READAHEAD_SERVER_KEY", "").strip()
SERVER_MODEL = os.environ.get("READAHEAD_SERVER_MODEL", "").strip()
SERVER_WINDOW = whole_number("READAHEAD_SERVER_WINDOW", 0, 0, 10_000_000)
"""Tokens of context; 0 for what the server tells."""
SERVER_CONFIRMED = flag("READAHEAD_SERVER_CONFIRMED")
"""Text of documents may leave this machine for the server."""

EMBEDDINGS = os.environ.get("READAHEAD_EMBEDDINGS", "").strip()
"""Name or path of the model that searches by meaning, `off` for none; empty for what is chosen on the models page."""
# numpy reads it when it is imported. Comparing vectors waits for memory, so a second thread gains nothing, and it would
# wait for a core of the engine's.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

IDLE_UNLOAD_MIN = whole_number("READAHEAD_IDLE_UNLOAD_MIN", 0, 0, 10_080)
"""Minutes without a question and without reading ahead after which the model leaves memory; 0: it never does."""

SNAPSHOTS_DIR = HOME / "snapshots"
STUDY_ON_BATTERY = flag("READAHEAD_STUDY_ON_BATTERY")
"""Documents are read ahead on battery as well."""
TITLES_BY_MODEL = not flag("READAHEAD_PLAIN_TITLES")
"""The model gives conversations their titles, when it has nothing else to do."""

LOG_LINE = "{asctime} {levelname} {name}: {message}"
# Document text and questions never go into a log: messages name rows by id.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": LOG_LINE, "style": "{"},
        "without trace": {"()": "ragsite.logs.WithoutTrace", "format": LOG_LINE, "style": "{"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
        "without trace": {"class": "logging.StreamHandler", "formatter": "without trace"},
    },
    "root": {"handlers": ["stderr"], "level": os.environ.get("READAHEAD_LOG_LEVEL", "WARNING").upper()},
    "loggers": {
        "django": {"handlers": [], "level": "INFO"},
        "django.security.DisallowedHost": {"handlers": ["without trace"], "propagate": False},
        # One line for each call to the inference service would bury the rest.
        "httpx": {"level": "WARNING"},
    },
}
