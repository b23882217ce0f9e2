// FastClock is not called, it is loaded into programs (LD_PRELOAD); see FastClock.c.
#pragma once
